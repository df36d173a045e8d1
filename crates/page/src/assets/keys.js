// @ts-check
// Keys, mouse and clipboard on the grid, and the buttons of the number pad.

import { box, element, input } from "./dom.js";
import { digitsOf } from "./grid.js";
import { lineOf, typedDigit } from "./symbols.js";

/** @typedef {import("./page.js").Page} Page */

const ARROWS = new Map([["ArrowUp", [-1, 0]], ["ArrowDown", [1, 0]], ["ArrowLeft", [0, -1]], ["ArrowRight", [0, 1]]]);
const CLEARING = ["0", ".", "Backspace", "Delete"];
/** Makes the next step. */
const NEXT = "n";

/**
 * Lets keys, mouse and clipboard work on the grid.
 * @param {Page} page
 * @param {(text: string) => void} paste
 */
export function mountKeys(page, paste) {
  document.addEventListener("keydown", (event) => {
    if (isElsewhere(event.target) && !isPassedOn(event)) return;
    if (handle(page, event)) event.preventDefault();
  });
  mountMouse(page, box("board"));
  mountPad(page);
  mountMode(page);
  document.addEventListener("copy", (event) => {
    if (isElsewhere(event.target) || !getSelection()?.isCollapsed) return;
    event.clipboardData?.setData("text/plain", lineOfPage(page));
    event.preventDefault();
  });
  document.addEventListener("paste", (event) => {
    if (isElsewhere(event.target)) return;
    event.preventDefault();
    paste(event.clipboardData?.getData("text/plain") ?? "");
  });
}

/**
 * Returns the digits of the page as one line.
 * @param {Page} page
 */
export function lineOfPage(page) {
  return lineOf(digitsOf(page.grid), page.geometry.side, page.settings.symbols);
}

/**
 * Returns whether keys belong to something other than the grid.
 * @param {EventTarget | null} target
 */
function isElsewhere(target) {
  const isHidden = box("grid-page").hidden || document.querySelector("dialog[open]") !== null;
  return isHidden || (target instanceof Element && target.closest("input, select, textarea, [role=tab], [contenteditable]") !== null);
}

/**
 * Returns whether a button or box of a choice has no use for a key, which then goes to the grid.
 * @param {KeyboardEvent} event
 */
function isPassedOn({ target, key }) {
  const isChoice = target instanceof HTMLInputElement && ["radio", "checkbox"].includes(target.type);
  return isChoice && !document.querySelector("dialog[open]") && key !== " " && !ARROWS.has(key);
}

/**
 * Does what a key asks for. Returns whether there was something to do.
 * @param {Page} page
 * @param {KeyboardEvent} event
 */
function handle(page, event) {
  const isOnCell = event.target instanceof Element && event.target.closest("[data-cell]") !== null;
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.altKey || event.isComposing) return false;
  const arrow = ARROWS.get(event.key);
  if (arrow || event.key in EDGES) {
    // On a button, keys that move scroll the page.
    const isOfGrid = event.target === document.body || (event.target instanceof Element && event.target.closest("#board, #pad") !== null);
    if (event.metaKey || !isOfGrid) return false;
    return arrow ? move(page, arrow, event.ctrlKey, event.shiftKey) : edge(page, event);
  }
  if (isCommand) {
    const command = COMMANDS[event.key.toLowerCase()];
    command?.(page, event);
    return command !== undefined;
  }
  if (event.key === "Escape") {
    page.selectAll([]);
    return true;
  }
  if (event.key === " ") {
    if (isOnCell) page.setMode(!page.asClues);
    return isOnCell;
  }
  const digit = typedDigit(event.key, page.geometry.side, page.settings.symbols);
  if (digit === null && event.key.toLowerCase() === NEXT) return page.applyStep();
  if (digit === null && !CLEARING.includes(event.key)) return false;
  page.type(digit ?? 0);
  return true;
}

/** What keys do together with Ctrl. @type {Record<string, (page: Page, event: KeyboardEvent) => void>} */
const COMMANDS = {
  z: (page, event) => (event.shiftKey ? page.redo() : page.undo()),
  y: (page) => page.redo(),
  a: (page) => page.selectAll(page.grid.clues.keys()),
};

/** @type {Record<string, (row: number, column: number, last: number) => [number, number]>} */
const EDGES = {
  Home: (row) => [row, 0],
  End: (row, _, last) => [row, last],
  PageUp: (_, column) => [0, column],
  PageDown: (_, column, last) => [last, column],
};

/**
 * Goes to an end of the row or column; with Ctrl to the first or last cell.
 * @param {Page} page
 * @param {KeyboardEvent} event
 */
function edge(page, event) {
  const { side, cells } = page.geometry;
  const [row, column] = EDGES[event.key](Math.floor(page.cursor / side), page.cursor % side, side - 1);
  const isStart = ["Home", "PageUp"].includes(event.key);
  goTo(page, event.ctrlKey ? (isStart ? 0 : cells - 1) : row * side + column, event.shiftKey);
  return true;
}

/**
 * Goes a cell on, around the edge of the grid, or to the next open cell if there is one.
 * @param {Page} page
 * @param {number[]} way
 * @param {boolean} isToOpen
 * @param {boolean} isMore
 */
function move(page, [down, right], isToOpen, isMore) {
  const { side } = page.geometry;
  const digits = digitsOf(page.grid);
  let row = Math.floor(page.cursor / side);
  let column = page.cursor % side;
  for (let steps = 1; steps <= side; steps += 1) {
    row = (row + down + side) % side;
    column = (column + right + side) % side;
    const cell = row * side + column;
    if (isToOpen && digits[cell]) continue;
    goTo(page, cell, isMore);
    break;
  }
  return true;
}

/**
 * @param {Page} page
 * @param {number} cell
 * @param {boolean} isMore
 */
function goTo(page, cell, isMore) {
  focusCursor();
  page.select(cell, isMore);
}

/**
 * @param {Page} page
 * @param {HTMLElement} board
 */
function mountMouse(page, board) {
  let isDragging = false;
  board.addEventListener("pointerdown", (event) => {
    const cell = cellAt(event.target);
    if (cell === null || event.button !== 0) return;
    isDragging = event.pointerType !== "touch";
    const isMore = event.shiftKey || event.ctrlKey || event.metaKey;
    if (isMore && page.selected.has(cell)) page.selectAll([...page.selected].filter((other) => other !== cell));
    else page.select(cell, isMore);
    event.preventDefault();
    focusCursor();
  });
  board.addEventListener("pointerover", (event) => {
    const cell = cellAt(event.target);
    if (isDragging && event.buttons === 1 && cell !== null && !page.selected.has(cell)) page.select(cell, true);
  });
  addEventListener("pointerup", () => (isDragging = false));
  board.addEventListener("focusin", (event) => {
    const cell = cellAt(event.target);
    if (cell !== null && cell !== page.cursor) page.select(cell);
  });
}

/** Lets keys go to the cell of the cursor. */
export function focusCursor() {
  const cell = box("board").querySelector("[tabindex='0']");
  if (cell instanceof HTMLElement) cell.focus();
}

/** @param {EventTarget | null} target */
function cellAt(target) {
  const cell = target instanceof Element ? target.closest("[data-cell]") : null;
  return cell ? Number(cell.getAttribute("data-cell")) : null;
}

/** @param {Page} page */
function mountPad(page) {
  const pad = box("pad");
  let drawn = "";
  function draw() {
    const { side } = page.geometry;
    const key = `${side} ${page.settings.symbols}`;
    if (drawn === key) return;
    drawn = key;
    const keys = side + 1;
    pad.style.setProperty("--wide", String(keys > 10 ? Math.ceil(keys / 2) : keys));
    pad.style.setProperty("--slim", String(keys > 10 ? Math.ceil(keys / 3) : Math.ceil(keys / 2)));
    const digits = Array.from({ length: side }, (_, place) => place + 1);
    pad.replaceChildren(
      ...digits.map((digit) => element("button", { type: "button", "data-pad": digit }, page.write(digit))),
      element("button", { type: "button", "data-pad": 0, "aria-label": "clear the selected cells" }, "Clear"),
    );
  }
  pad.addEventListener("click", (event) => {
    const digit = event.target instanceof Element ? event.target.closest("[data-pad]")?.getAttribute("data-pad") : null;
    if (digit) page.type(Number(digit));
  });
  page.on(["grid", "settings"], draw);
  draw();
}

/** @param {Page} page */
function mountMode(page) {
  const [clues, answers] = [input("mode-clues"), input("mode-answers")];
  const draw = () => ((page.asClues ? clues : answers).checked = true);
  for (const choice of [clues, answers]) choice.addEventListener("change", () => page.setMode(clues.checked));
  page.on("mode", draw);
  draw();
}
