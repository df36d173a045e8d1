// @ts-check
// The grid in the document. Only what changed is written.

import { markColumns } from "./grid.js";
import { looksOf, shownStep } from "./cells.js";
import { box, element, mark, setText } from "./dom.js";
import { drawLinks } from "./overlay.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./cells.js").Look} Look */

/**
 * Shows the grid of the page, and keeps it up to date.
 * @param {Page} page
 */
export function mountBoard(page) {
  const board = box("board");
  /** @type {HTMLElement[]} */
  let cells = [];
  /** @type {string[]} */
  let keys = [];
  let shape = "";

  function draw() {
    if (shape !== page.grid.shape) {
      shape = page.grid.shape;
      cells = build(board, page);
      keys = [];
    }
    const looks = looksOf(page);
    mark(board, { "data-marks": looks.some((look) => look.marks.length) ? "" : null });
    looks.forEach((look, cell) => {
      const key = JSON.stringify(look);
      if (keys[cell] === key) return;
      keys[cell] = key;
      show(cells[cell], look, markColumns(page.geometry.side));
    });
    drawLinks(page.geometry, shownStep(page));
  }

  page.on("grid", draw);
  page.on("settings", draw);
  page.on("solution", draw);
  page.on("analysis", (part) => part !== "solution" && (part !== "count" || page.analysis.isFinal) && draw());
  page.on("selection", () => {
    draw();
    if (board.contains(document.activeElement)) cells[page.cursor].focus();
  });
  draw();
}

/**
 * Makes the cells of a shape.
 * @param {HTMLElement} board
 * @param {Page} page
 */
function build(board, page) {
  const { side, rows, columns } = page.geometry;
  const sheet = box("sheet");
  sheet.style.setProperty("--side", String(side));
  sheet.style.setProperty("--mark-columns", String(markColumns(side)));
  sheet.dataset.side = side > 9 ? "large" : "small";
  mark(board, { "aria-rowcount": side, "aria-colcount": side });
  /** @type {HTMLElement[]} */
  const cells = [];
  const lines = Array.from({ length: side }, (_, row) => {
    const line = element("div", { role: "row", "aria-rowindex": row + 1 });
    for (let column = 0; column < side; column += 1) {
      const cell = element("div", {
        role: "gridcell",
        "aria-colindex": column + 1,
        "data-cell": row * side + column,
        "data-left": column % columns ? null : "",
        "data-top": row % rows ? null : "",
      });
      cell.append(element("span", { class: "digit" }), element("span", { class: "marks", "aria-hidden": "true" }));
      cells.push(cell);
      line.append(cell);
    }
    return line;
  });
  board.replaceChildren(...lines);
  return cells;
}

/**
 * Writes the look of a cell.
 * @param {HTMLElement} cell
 * @param {Look} look
 * @param {number} columns of candidates
 */
function show(cell, look, columns) {
  mark(cell, {
    "aria-label": look.label,
    "aria-selected": String(look.isSelected),
    tabindex: look.isCursor ? 0 : -1,
    "data-digit": look.digit || "",
    "data-kind": look.kind,
    "data-conflict": look.isConflict ? "" : null,
    "data-wrong": look.isWrong ? "" : null,
    "data-redundant": look.isRedundant ? "" : null,
    "data-house": look.isHouse ? "" : null,
    "data-pattern": look.isPattern ? "" : null,
    "data-changed": look.isChanged ? "" : null,
  });
  const [digit, marks] = cell.children;
  setText(digit, look.text);
  marks.replaceChildren(...look.marks.map((candidate) => markElement(candidate, columns)));
}

/**
 * @param {import("./cells.js").Mark} candidate
 * @param {number} columns
 */
function markElement({ digit, text, look, solutions, title }, columns) {
  const made = element("span", { "data-mark": digit, "data-look": look, "data-solutions": solutions, title: title ? `${text}: ${title}` : null }, text);
  const place = digit - 1;
  made.style.gridArea = `${Math.floor(place / columns) + 1} / ${(place % columns) + 1}`;
  return made;
}
