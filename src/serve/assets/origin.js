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
  /** The record that is on its way. */
  let next = { row: 0, expected: new AbortController() };
  next.expected.abort();

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
    const from = next.expected.signal.aborted ? page.origin.row : next.row;
    const expected = page.expect();
    const own = (next = { row: Math.max(from + by, 0), expected });
    try {
      rows = (await ask("collection", {}, expected.signal)).records;
      own.row = Math.min(own.row, rows - 1);
      const { grid, origin } = await record(own.row, expected.signal);
      page.put(grid, { isLoad: true, origin });
    } catch (error) {
      page.fail(error);
    }
    expected.abort();
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
 * @param {AbortSignal} [signal]
 */
async function record(row, signal) {
  const [{ files }, { grid, number, file }] = await Promise.all([ask("collection", {}, signal), ask("record", { row }, signal)]);
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
