// @ts-check
// The position of a record in a view, found by halving: a few rows are asked for, however many there are.

/** @typedef {import("./row_pages.js").Row} Row */
/** @typedef {import("./view.js").Sort} Sort */

/** The order of the statuses in a view that is sorted by them. */
const STATUS_ORDER = ["unique", "solved", "multiple", "none", "budget", "conflict", "malformed"];

/**
 * Returns what a row is sorted by; null if that is not known.
 * @param {Row} row
 * @param {Sort} sort
 */
function key(row, { by }) {
  if (by !== "status") return row[by];
  return row.status === null ? null : STATUS_ORDER.indexOf(row.status);
}

/**
 * Returns a number below 0 if a row stands before another one: ties are in the order of rows, and what is not known is last.
 * @param {Row} one
 * @param {Row} other
 * @param {Sort} sort
 */
export function compare(one, other, sort) {
  const [first, second] = [key(one, sort), key(other, sort)];
  if (first === second) return one.row - other.row;
  if (first === null) return 1;
  if (second === null) return -1;
  return sort.descending ? second - first : first - second;
}

/**
 * Returns the position of a row; null if it is not in the view, or the view changes meanwhile.
 * @param {Row} row
 * @param {Sort} sort
 * @param {number} total the rows of the view
 * @param {(position: number) => Promise<Row | undefined>} rowAt
 */
export async function findPosition(row, sort, total, rowAt) {
  let [from, to] = [0, total];
  while (from < to) {
    const middle = from + Math.floor((to - from) / 2);
    const there = await rowAt(middle);
    if (!there) return null;
    const order = compare(there, row, sort);
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return null;
}
