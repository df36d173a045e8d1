// @ts-check
// The record of a file that the grid comes from, and the records before and after it in the view of the collection.

import { readView, withView } from "./address.js";
import { ask } from "./api.js";
import { button, elementById, number, onClicks, setAttributes, setText } from "./dom.js";
import { isEqual, wholeGrid } from "./grid.js";
import { showError } from "./message.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Shows where the grid comes from. Returns a function that searches for the neighbours again, because the view may have changed.
 * @param {Page} page
 */
export function mountOrigin(page) {
  /** The record and the view that `isFirst` and `isLast` belong to. */
  let known = "";
  let [isFirst, isLast] = [false, false];
  /** The distance from the present record to the one that is on its way, so that quick clicks add up. */
  let distance = 0;
  /** @type {AbortSignal | null} */
  let signalOfStep = null;

  function draw() {
    const { origin } = page;
    elementById("origin").hidden = !origin;
    void findEnds();
    drawEnds();
    if (!origin) return;
    setAttributes(elementById("origin"), { "data-row": origin.row });
    setText(elementById("origin-text"), `record ${number(origin.number)} of ${origin.file}`);
  }

  function drawEnds() {
    button("origin-prev").disabled = isFirst;
    button("origin-next").disabled = isLast;
  }

  async function findEnds() {
    const row = page.origin?.row ?? null;
    const own = row === null ? "" : withView("", { ...readView(location.hash), record: row });
    if (own === known) return;
    known = own;
    [isFirst, isLast] = [false, false];
    if (row === null) return;
    try {
      const { position, total } = await placeOf(row);
      if (own !== known) return;
      [isFirst, isLast] = [position === 0, position + 1 >= total];
      drawEnds();
    } catch {
      // Errors are not shown here. The ends are found when the user opens a neighbour.
      if (own === known) known = "";
    }
  }

  /** @param {number} by */
  async function turn(by) {
    const { origin } = page;
    if (!origin) return;
    distance = by + (signalOfStep?.aborted === false ? distance : 0);
    const signal = (signalOfStep = page.gridRequest.begin());
    try {
      const { position, total, view } = await placeOf(origin.row, signal);
      const from = Math.max(0, Math.min(position + distance, total - 1));
      const { rows } = await ask("rows", { ...view, from, count: 1 }, signal);
      const found = await record(rows[0]?.row ?? origin.row, signal);
      page.put(found.grid, { isLoad: true, origin: found.origin });
    } catch (error) {
      showError(error);
    }
    if (signalOfStep === signal) signalOfStep = null;
    draw();
  }

  onClicks({ "origin-prev": () => turn(-1), "origin-next": () => turn(1) });
  page.follow("grid", draw);
  return () => {
    known = "";
    draw();
  };
}

/**
 * The position of a record in the view of the collection, or among all records if the view does not contain it.
 * @param {number} row
 * @param {AbortSignal} [signal]
 */
async function placeOf(row, signal) {
  const { filter, sort } = readView(location.hash);
  const place = await ask("position", { filter, sort, row }, signal);
  if (place.position !== null) return { ...place, view: { filter, sort } };
  const view = { filter: {}, sort: { by: "row", descending: false } };
  return { ...(await ask("position", { ...view, row }, signal)), view };
}

/**
 * A record as a grid, and where it comes from.
 * @param {number} row
 * @param {AbortSignal} [signal]
 */
export async function record(row, signal) {
  const { grid, number, file } = await ask("record", { row }, signal);
  return { grid: wholeGrid(grid), origin: { file, number, row } };
}

/**
 * Checks whether the grid is still this record, and then records where it comes from.
 * @param {Page} page
 * @param {number} row
 */
export async function recall(page, row) {
  const { grid, origin } = await record(row);
  if (grid.shape === page.grid.shape && isEqual(grid.clues, page.grid.clues)) page.setOrigin(origin);
}
