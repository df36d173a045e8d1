// @ts-check
// The record of a file that the grid came from, and its neighbours in the view of the collection.

import { readView, withView } from "./address.js";
import { ask } from "./api.js";
import { box, button, mark, number, onClicks, setText } from "./dom.js";
import { isEqual, wholeGrid } from "./grid.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Shows where the grid came from. Returns a function that looks for its neighbours again, because the view may be another.
 * @param {Page} page
 */
export function mountOrigin(page) {
  /** The record and the view whose ends are known. */
  let known = "";
  let [isFirst, isLast] = [false, false];
  /** How far from the record of the page the one is that is on its way. */
  let next = { by: 0, expected: new AbortController() };
  next.expected.abort();

  function draw() {
    const { origin } = page;
    const bar = box("origin");
    bar.hidden = !origin;
    void findEnds();
    if (!origin) return;
    mark(bar, { "data-row": origin.row });
    setText(box("origin-text"), `record ${number(origin.number)} of ${origin.file}`);
    drawEnds();
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
      // They are then found when the user goes there.
      if (own === known) known = "";
    }
  }

  /** @param {number} by */
  async function turn(by) {
    const { origin } = page;
    if (!origin) return;
    const before = next.expected.signal.aborted ? 0 : next.by;
    const expected = page.expect();
    const { signal } = expected;
    next = { by: before + by, expected };
    try {
      const { position, total, view } = await placeOf(origin.row, signal);
      const from = Math.max(0, Math.min(position + before + by, total - 1));
      const { rows } = await ask("rows", { ...view, from, count: 1 }, signal);
      const found = await record(rows[0]?.row ?? origin.row, signal);
      page.put(found.grid, { isLoad: true, origin: found.origin });
    } catch (error) {
      page.fail(error);
    }
    expected.abort();
    draw();
  }

  onClicks({ "origin-prev": () => turn(-1), "origin-next": () => turn(1) });
  page.on("grid", draw);
  draw();
  return () => {
    known = "";
    draw();
  };
}

/**
 * Returns where a record is in the view of the collection; among all records if it is not in that view.
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
