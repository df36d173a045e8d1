// @ts-check
// The position of a record in a view, found by halving: a few rows are asked for, however many there are.

/** The order of the statuses in a view that is sorted by them. */
const STATUSES = ["unique", "solved", "multiple", "none", "budget", "conflict", "malformed"];

/**
 * Returns what a row is sorted by; null if that is not known.
 * @param {Row} row
 * @param {Sort} sort
 */
const key = (row, { by }) => (by !== "status" ? row[by] : row.status && STATUSES.indexOf(row.status));

/**
 * Returns a number below 0 if a row stands before another one: ties are in the order of rows, and what is not known is last.
 * @param {Row} one
 * @param {Row} other
 * @param {Sort} sort
 */
function compare(one, other, sort) {
  const [first, second] = [Number(key(one, sort) ?? NaN), Number(key(other, sort) ?? NaN)];
  const order = sort.descending ? second - first : first - second;
  return order || Number(isNaN(first)) - Number(isNaN(second)) || one.row - other.row;
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
  // Without a filter, this is where it is in the order of the files.
  let middle = Math.min(row.row, total - 1);
  while (from < to) {
    const there = await rowAt(middle);
    const order = there ? compare(there, row, sort) : NaN;
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else to = middle;
    middle = Math.floor((from + to) / 2);
  }
  return null;
}
