// @ts-check
// Printing a book of puzzles: several per page, in the order of the collection, with the solutions at the end.

import { readView } from "./address.js";
import { ask, listen } from "./api.js";
import { counted, dialog, element, elementById, input, picture, select, setAttributes, setText } from "./dom.js";
import { drawing, svgOf } from "./export.js";
import { geometry, withAnswers, wholeGrid } from "./grid.js";
import { note } from "./message.js";
import { symbol } from "./symbols.js";
import { mountWork } from "./work.js";

/**
 * @typedef {import("./grid.js").Grid} Grid
 * @typedef {import("./table.js").Row} Row
 * @typedef {import("./table.js").Rows} Rows
 * @typedef {{grid: Grid, title: string, solution: number[] | null}} Leaf
 */

/** The number of rows per request, and the limit for the puzzles of a book. */
const ROWS = 200;
const MAX_PUZZLES = 1000;

/** The number of solutions per page. */
const SMALL = 20;

/** Connects the dialog that prints a book. */
export function mountBook() {
  mountWork("book", () => setText(elementById("book-running"), ""), async (signal) => {
    const leaves = await collect(signal);
    dialog("book-dialog").close();
    print(leaves);
  });
  addEventListener("afterprint", () => {
    setAttributes(document.body, { "data-book": null });
    elementById("book-pages").replaceChildren();
  });
}

/**
 * Loads the chosen puzzles from the view of the collection.
 * @param {AbortSignal} signal
 */
async function collect(signal) {
  const { filter, sort } = readView(location.hash);
  const first = Math.max(1, Number(input("book-from").value) || 1);
  const count = Math.min(MAX_PUZZLES, Math.max(1, Number(input("book-count").value) || 1));
  /** @type {Leaf[]} */
  const leaves = [];
  let skipped = 0;
  for (let from = first - 1; from < first - 1 + count; from += ROWS) {
    /** @type {Rows} */
    const { rows } = await ask("rows", { filter, sort, from, count: Math.min(ROWS, first - 1 + count - from) }, signal);
    for (const row of rows) {
      if (row.fault === null) leaves.push(await leafOf(row, signal));
      else skipped += 1;
      setText(elementById("book-running"), `${counted(leaves.length, "puzzle")} so far`);
    }
    if (rows.length < ROWS) break;
  }
  if (!leaves.length) throw new Error(`The table has no puzzle at position ${first} or after it. Choose a lower position, or another filter.`);
  if (skipped) note(`${counted(skipped, "malformed record")} left out`);
  return leaves;
}

/**
 * @param {Row} row
 * @param {AbortSignal} signal
 * @returns {Promise<Leaf>}
 */
async function leafOf({ row, er }, signal) {
  const { grid, number } = await ask("record", { row }, signal);
  /** @type {number[] | null} */
  let solution = null;
  if (input("book-solutions").checked) {
    await listen("solutions", { grid, limit: 1 }, signal, (event) => event.event === "solution" && (solution = event.digits));
  }
  return { grid: wholeGrid(grid), title: er === null ? `${number}` : `${number} · rated ${er.toFixed(1)}`, solution };
}

/**
 * Prints the pages of puzzles, followed by the pages of solutions.
 * @param {Leaf[]} leaves
 */
function print(leaves) {
  const each = Number(select("book-each").value);
  const isTitled = input("book-titles").checked;
  const solved = leaves.filter(({ solution }) => solution);
  const puzzles = pagesOf(leaves, each, (leaf) => figure(leaf.grid, isTitled ? leaf.title : ""));
  const solutions = pagesOf(solved, SMALL, ({ grid, title, solution }) => figure(withAnswers(grid, solution ?? []), title));
  elementById("book-pages").replaceChildren(...puzzles, ...solutions);
  setAttributes(document.body, { "data-book": true });
  globalThis.print();
}

/**
 * @param {Leaf[]} leaves
 * @param {number} each the number of puzzles per page
 * @param {(leaf: Leaf) => Node} draw
 */
function pagesOf(leaves, each, draw) {
  const pages = Array.from({ length: Math.ceil(leaves.length / each) }, (_, page) => leaves.slice(page * each, (page + 1) * each));
  return pages.map((page) => element("div", { class: "book-page", "data-each": each }, ...page.map(draw)));
}

/**
 * @param {Grid} grid
 * @param {string} title
 */
function figure(grid, title) {
  const { side } = geometry(grid.shape);
  const marks = grid.clues.map(() => []);
  const svg = svgOf(drawing(grid, (digit) => symbol(digit, side, "1-9A-G"), marks));
  return element("figure", {}, picture(svg), element("figcaption", {}, title));
}
