// @ts-check
// Keys, mouse and clipboard on the grid, and the buttons of the number pad.

import { element, elementById, input, redraw } from "./dom.js";
import { COLOURS, digitsOf, range } from "./grid.js";
import { lineOf, typedDigit } from "./symbols.js";

/** @typedef {import("./page.js").Page} Page */

const ARROWS = new Map([["ArrowUp", [-1, 0]], ["ArrowDown", [1, 0]], ["ArrowLeft", [0, -1]], ["ArrowRight", [0, 1]]]);
const CLEARING = ["0", ".", "Backspace", "Delete"];
/** Applies the next step. */
const NEXT = "n";
/** Asks for a hint. */
const HINT = "h";
/** The keys that choose a way to type, for solvers. @type {Record<string, import("./page.js").Mode>} */
const MODE_KEYS = { z: "answers", x: "corner", c: "centre", v: "colours" };

/**
 * Connects keys, mouse and clipboard with the grid.
 * @param {Page} page
 * @param {(text: string) => void} paste
 */
export function mountKeys(page, paste) {
  document.addEventListener("keydown", (event) => {
    if (isElsewhere(event.target) && !isPassedOn(event)) return;
    if (handle(page, event)) event.preventDefault();
  });
  mountMouse(page, elementById("board"));
  mountPad(page);
  elementById("mode").addEventListener("change", (event) => page.setMode(/** @type {any} */ (event.target).value));
  page.follow("mode", () => (input(`mode-${page.mode}`).checked = true));
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
 * The digits of the page in one line.
 * @param {Page} page
 */
export const lineOfPage = (page) => lineOf(digitsOf(page.grid), page.geometry.side, page.settings.symbols);

/**
 * Whether keys belong to something other than the grid, e.g. a text field.
 * @param {EventTarget | null} target
 */
function isElsewhere(target) {
  const isHidden = elementById("grid-page").hidden || document.querySelector("dialog[open]") !== null;
  return isHidden || (target instanceof Element && target.closest("input, select, textarea, [role=tab], [contenteditable]") !== null);
}

/**
 * Whether the focus is on a radio button or checkbox that does not use this key. The key then applies to the grid.
 * @param {KeyboardEvent} event
 */
function isPassedOn({ target, key }) {
  const isChoice = target instanceof HTMLInputElement && ["radio", "checkbox"].includes(target.type);
  return isChoice && !document.querySelector("dialog[open]") && key !== " " && !ARROWS.has(key);
}

/**
 * Handles a key. Returns false if it has no meaning here, so that the browser handles it.
 * @param {Page} page
 * @param {KeyboardEvent} event
 */
function handle(page, event) {
  const isOnCell = event.target instanceof Element && event.target.closest("[data-cell]") !== null;
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.altKey || event.isComposing) return false;
  const arrow = ARROWS.get(event.key);
  if (arrow || event.key in EDGES) {
    // If a button has the focus, these keys keep their usual meaning and scroll the page.
    const isOfGrid = event.target === document.body || (event.target instanceof Element && event.target.closest("#board, #pad") !== null);
    if (event.metaKey || !isOfGrid) return false;
    return arrow ? move(page, arrow, event.ctrlKey, event.shiftKey) : edge(page, event);
  }
  if (page.settings.isSolving && typeMark(page, event)) return true;
  if (isCommand) {
    const command = COMMANDS[event.key.toLowerCase()];
    command?.(page, event);
    return command !== undefined;
  }
  if (event.key === "Escape") {
    if (page.shownPath) page.showPath(null);
    else page.selectAll([]);
    return true;
  }
  if (event.key === " ") {
    if (isOnCell) page.turnMode();
    return isOnCell;
  }
  const isColour = page.mode === "colours";
  const typedNow = isColour ? typedDigit(event.key, COLOURS.length, "1-9A-G") : typedDigit(event.key, page.geometry.side, page.settings.symbols);
  const digit = (isColour ? null : longerNumber(page, event.key)) ?? typedNow;
  if (digit === null && !CLEARING.includes(event.key)) return letter(page, event.key.toLowerCase());
  page.type(digit ?? 0);
  typed = { grid: page.grid, cursor: page.cursor, digit: digit ?? 0 };
  return true;
}

/** Handles a letter that is not a digit. @param {Page} page @param {string} key */
function letter(page, key) {
  if (key === NEXT) return page.applyStep();
  if (!page.settings.isSolving || (key !== HINT && !MODE_KEYS[key])) return false;
  if (key === HINT) page.hint();
  else page.setMode(MODE_KEYS[key]);
  return true;
}

/**
 * Types a pencilmark or a colour, if Shift or Ctrl is held with a digit. The code of the key gives the digit, because Shift changes
 * the character, e.g. `!` for 1.
 * @param {Page} page
 * @param {KeyboardEvent} event
 */
function typeMark(page, { code, shiftKey, ctrlKey, metaKey }) {
  const digit = Number(/^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1] ?? 0);
  const isCommand = ctrlKey || metaKey;
  const mode = isCommand ? (shiftKey ? "colours" : "centre") : "corner";
  if (!digit || !(shiftKey || isCommand) || digit > (mode === "colours" ? COLOURS.length : page.geometry.side)) return false;
  page.type(digit, mode);
  return true;
}

/** The last number that was typed, and its place. @type {{grid: object | null, cursor: number, digit: number}} */
let typed = { grid: null, cursor: 0, digit: 0 };

/**
 * The number that a further figure makes from the last one in the same cell, e.g. 17 from 1 and 7. Null unless digits are shown as
 * numbers.
 * @param {Page} page
 * @param {string} key
 */
function longerNumber({ grid, cursor, settings, geometry }, key) {
  const isSame = typed.grid === grid && typed.cursor === cursor;
  const number = Number(`${typed.digit}${key}`);
  return settings.symbols === "numbers" && isSame && /^\d$/.test(key) && typed.digit > 0 && number <= geometry.side ? number : null;
}

/** The keys that act together with Ctrl. @type {Record<string, (page: Page, event: KeyboardEvent) => void>} */
const COMMANDS = {
  z: (page, event) => (event.shiftKey ? page.redo() : page.undo()),
  y: (page) => page.redo(),
  a: (page) => page.selectAll(page.grid.clues.keys()),
};

/** The cells at the ends of the row and the column. @type {Record<string, (cell: number, side: number) => number>} */
const EDGES = {
  Home: (cell, side) => cell - (cell % side),
  End: (cell, side) => cell - (cell % side) + side - 1,
  PageUp: (cell, side) => cell % side,
  PageDown: (cell, side) => side * (side - 1) + (cell % side),
};

/**
 * Moves to an end of the row or column; with Ctrl to the first or last cell.
 * @param {Page} page
 * @param {KeyboardEvent} event
 */
function edge(page, event) {
  const { side, cells } = page.geometry;
  const corner = ["Home", "PageUp"].includes(event.key) ? 0 : cells - 1;
  return goTo(page, event.ctrlKey ? corner : EDGES[event.key](page.cursor, side), event.shiftKey);
}

/**
 * Moves one cell, or to the next open cell if there is one. At the edge the movement continues on the other side of the grid.
 * @param {Page} page
 * @param {number[]} way
 * @param {boolean} isToOpen
 * @param {boolean} isMore
 */
function move(page, [down, right], isToOpen, isMore) {
  const { side } = page.geometry;
  const digits = digitsOf(page.grid);
  let [row, column] = [Math.floor(page.cursor / side), page.cursor % side];
  for (let steps = 1; steps <= side; steps += 1) {
    [row, column] = [(row + down + side) % side, (column + right + side) % side];
    const cell = row * side + column;
    if (!isToOpen || !digits[cell]) return goTo(page, cell, isMore);
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
  return true;
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
  board.addEventListener("dblclick", (event) => {
    const digits = digitsOf(page.grid);
    const digit = digits[cellAt(event.target) ?? -1];
    if (page.settings.isSolving && digit) page.selectAll([...digits.keys()].filter((cell) => digits[cell] === digit));
  });
  addEventListener("pointerup", () => (isDragging = false));
  board.addEventListener("focusin", (event) => {
    const cell = cellAt(event.target);
    if (cell !== null && cell !== page.cursor) page.select(cell);
  });
}

/** Moves the focus to the cell of the cursor. */
export function focusCursor() {
  const cell = elementById("board").querySelector("[tabindex='0']");
  if (cell instanceof HTMLElement) cell.focus();
}

/** @param {EventTarget | null} target */
function cellAt(target) {
  const cell = target instanceof Element ? target.closest("[data-cell]") : null;
  return cell ? Number(cell.getAttribute("data-cell")) : null;
}

/** @param {Page} page */
function mountPad(page) {
  const pad = elementById("pad");
  pad.addEventListener("click", (event) => {
    const digit = event.target instanceof Element ? event.target.closest("[data-pad]")?.getAttribute("data-pad") : null;
    if (digit) page.type(Number(digit));
  });
  page.follow(["grid", "settings", "mode"], () => {
    const { side } = page.geometry;
    const isColour = page.mode === "colours";
    const hadFocus = pad.contains(document.activeElement);
    const keys = side + 1;
    pad.style.setProperty("--wide", String(keys > 10 ? Math.ceil(keys / 2) : keys));
    pad.style.setProperty("--slim", String(keys > 10 ? Math.ceil(keys / 3) : Math.ceil(keys / 2)));
    const colours = COLOURS.map((name, place) => ({ "data-pad": place + 1, "data-colour": name, "aria-label": name }));
    const choices = isColour ? colours : range(side).map((digit) => ({ "data-pad": digit }));
    redraw(
      pad,
      ...choices.map((choice) => element("button", { type: "button", ...choice }, isColour ? String(choice["data-pad"]) : page.write(choice["data-pad"]))),
      element("button", { type: "button", "data-pad": 0, "aria-label": "clear the selected cells" }, "Clear"),
    );
    if (hadFocus && !pad.contains(document.activeElement)) /** @type {HTMLElement} */ (pad.lastElementChild).focus();
  });
}
