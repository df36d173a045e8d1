// @ts-check
// The record of a file that the grid came from, and its neighbours.

import { ask } from "./api.js";
import { box, button, mark } from "./dom.js";
import { setText } from "./elements.js";
import { isEqual, wholeGrid } from "./grid.js";
import { number } from "./words.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Shows where the grid came from.
 * @param {Page} page
 */
export function mountOrigin(page) {
  let rows = Infinity;

  function draw() {
    const { origin } = page;
    const bar = box("origin");
    bar.hidden = !origin;
    if (!origin) return;
    mark(bar, { "data-row": origin.row });
    setText(box("origin-text"), `record ${number(origin.number)} of ${origin.file}`);
    button("origin-prev").disabled = origin.row === 0;
    button("origin-next").disabled = origin.row + 1 >= rows;
  }

  /** @param {number} by */
  async function turn(by) {
    if (!page.origin) return;
    try {
      const state = await ask("collection", {});
      rows = state.records;
      const { grid, origin } = await record(page.origin.row + by);
      page.put(grid, { isLoad: true, origin });
    } catch (error) {
      page.fail(error);
    }
    draw();
  }

  button("origin-prev").addEventListener("click", () => turn(-1));
  button("origin-next").addEventListener("click", () => turn(1));
  page.on("grid", draw);
  draw();
}

/**
 * Returns a record as a grid, and where it is from.
 * @param {number} row
 */
async function record(row) {
  const [{ files }, { grid, number, file }] = await Promise.all([ask("collection", {}), ask("record", { row })]);
  return { grid: wholeGrid(grid), origin: { file: files[file]?.name ?? file, number, row } };
}

/**
 * Finds out whether the grid still is that record, and notes where it is from.
 * @param {Page} page
 * @param {number} row
 */
export async function recall(page, row) {
  const { grid, origin } = await record(row);
  if (grid.shape === page.grid.shape && isEqual(grid.clues, page.grid.clues)) page.setOrigin(origin);
}
