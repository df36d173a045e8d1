// @ts-check
// The buttons above the grid, and their dialogs.

import { fromFragment } from "./address.js";
import { readAddress } from "./other_programs.js";
import { ask } from "./api.js";
import { mountCopy, toClipboard } from "./copying.js";
import { area, button, counted, dialog, elementById, input, onClicks, select, setText } from "./dom.js";
import { mountGenerate } from "./generate.js";
import { clearAnswers, digitsOf, emptyGrid, geometry, moved, range, remap, renamed, SHAPES, symmetriesOf, wholeGrid, withAnswers } from "./grid.js";
import { lineOfPage } from "./keys.js";
import { clearActionError, note, showError } from "./message.js";
import { plainText, readPlain, readTable } from "./symbols.js";
import { mountWork } from "./work.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./grid.js").Grid} Grid */

/** A shape with the side of its grid, e.g. "6×6, boxes of 2×3". @param {string} shape */
const shapeName = (shape) => `${geometry(shape).side}×${geometry(shape).side}, boxes of ${shape.replace("x", "×")}`;

/**
 * Connects the buttons.
 * @param {Page} page
 */
export function mountTools(page) {
  onClicks({
    "undo": () => page.undo(),
    "redo": () => page.redo(),
    "clear-answers": () => page.put(clearAnswers(page.grid)),
    "fill-in": () => page.analysis.solution && page.put(withAnswers(page.grid, page.analysis.solution)),
    "copy": () => toClipboard(lineOfPage(page), "Copied as one line"),
    "link": () => toClipboard(location.href, "Copied the address"),
    "paste": () => dialog("paste-dialog").showModal(),
    "paste-read": () => pasteTyped(page),
    "keys-help": () => dialog("keys-dialog").showModal(),
    "new": () => {
      select("new-shape").value = page.grid.shape;
      dialog("new-dialog").showModal();
    },
    "new-start": () => {
      dialog("new-dialog").close();
      page.set({ isSolving: false });
      page.setMode("clues");
      page.put(emptyGrid(select("new-shape").value), { isLoad: true });
    },
  });
  for (const close of document.querySelectorAll("dialog [data-close]")) {
    close.addEventListener("click", () => close.closest("dialog")?.close());
  }
  for (const id of ["new-shape", "generate-shape"]) select(id).replaceChildren(...SHAPES.map((shape) => new Option(shapeName(shape), shape)));
  for (const mount of [mountBoxes, mountCopy, mountMinimize, mountGenerate, mountTransform, mountDrop]) mount(page);
  page.follow("grid", () => {
    button("undo").disabled = !page.history.past.length;
    button("redo").disabled = !page.history.future.length;
    button("clear-answers").disabled = JSON.stringify(clearAnswers(page.grid)) === JSON.stringify(page.grid);
  });
  page.follow(["grid", "analysis"], () => {
    const { verdict, solution } = page.analysis;
    button("fill-in").disabled = !solution || digitsOf(page.grid).every(Boolean);
    button("browse").disabled = verdict === "none";
    button("minimize").disabled = verdict !== "unique";
  });
}

/**
 * Shows the first puzzle of a text in any format.
 * @param {Page} page
 * @param {string} pasted
 */
export async function paste(page, pasted) {
  const text = plainText(pasted);
  if (!text.trim()) return note("The clipboard has no text");
  clearActionError();
  const signal = page.gridRequest.begin();
  const { shape } = page.grid;
  const plain = readLink(text) ?? readPlain(text, shape) ?? readTable(text, shape) ?? (await readAddress(text, signal));
  if (plain) return page.put(wholeGrid(plain), { isLoad: true });
  const { grid, records } = await ask("read", { text, shape, symbols: page.settings.symbols }, signal);
  page.put(wholeGrid(grid), { isLoad: true });
  if (records > 1) note(`Pasted the first of ${counted(records, "record")}`);
}

/**
 * The grid of a link to this page; null for any other text.
 * @param {string} text
 */
function readLink(text) {
  const [, fragment] = /^https?:\/\/[^\s#]*#(\S+)$/.exec(text.trim()) ?? [];
  return fragment === undefined ? null : (fromFragment(fragment)?.grid ?? null);
}

/** @param {Page} page */
async function pasteTyped(page) {
  await paste(page, area("paste-text").value).then(() => (area("paste-text").value = ""), showError);
  dialog("paste-dialog").close();
}

/**
 * Lets the user choose other boxes for the same digits, because a text of digits does not say which boxes it means, e.g. 2x3 or
 * 3x2.
 * @param {Page} page
 */
function mountBoxes(page) {
  const boxes = select("boxes");
  boxes.addEventListener("change", () => page.put({ ...page.grid, shape: boxes.value, removed: [] }));
  page.follow("grid", () => {
    const shapes = SHAPES.filter((shape) => geometry(shape).side === page.geometry.side);
    boxes.replaceChildren(...shapes.map((shape) => new Option(shape.replace("x", "×"), shape)));
    boxes.value = page.grid.shape;
    elementById("boxes-label").hidden = shapes.length < 2;
  });
}

/**
 * Accepts a text that is dropped on the grid, e.g. an address from another window.
 * @param {Page} page
 */
function mountDrop(page) {
  const target = elementById("grid-page");
  const hasText = (/** @type {DragEvent} */ { dataTransfer }) => dataTransfer !== null && dataTransfer.types.includes("text/plain") && !dataTransfer.types.includes("Files");
  target.addEventListener("dragover", (event) => hasText(event) && event.preventDefault());
  target.addEventListener("drop", (event) => {
    if (!hasText(event)) return;
    event.preventDefault();
    paste(page, event.dataTransfer?.getData("text/plain") ?? "").catch(showError);
  });
}

/**
 * Connects the dialog that takes out as many clues as possible.
 * @param {Page} page
 */
function mountMinimize(page) {
  const symmetry = select("minimize-symmetry");
  const selectedClues = () => [...page.selected].filter((cell) => page.grid.clues[cell]);

  function prepare() {
    const names = ["none", ...symmetriesOf(page.grid)];
    for (const option of symmetry.options) option.hidden = option.disabled = !names.includes(option.value);
    symmetry.value = "none";
    const selected = selectedClues().length;
    input("minimize-keep").checked = false;
    input("minimize-keep").disabled = !selected;
    setText(elementById("minimize-keep-text"), `Keep the selected clues (${selected})`);
  }

  mountWork("minimize", prepare, async (signal) => {
    const { grid } = page;
    const keep = input("minimize-keep").checked ? selectedClues() : [];
    // An empty field is the usual seed, but 0 is a seed of its own.
    const seed = Number(input("minimize-seed").value || 1);
    const { clues, taken } = await ask("minimize", { grid, seed, symmetry: symmetry.value, keep }, signal);
    if (page.grid === grid) page.put(wholeGrid({ ...grid, clues, entries: [], removed: [] }), { isLoad: true, origin: page.origin });
    note(taken ? `${counted(taken, "clue")} removed` : "No clue can be removed");
  });
}

/**
 * Connects the dialog that transforms the grid. It closes after each transformation.
 * @param {Page} page
 */
function mountTransform(page) {
  const window = dialog("transform-dialog");
  const [first, second] = [select("transform-first"), select("transform-second")];
  const put = (/** @type {Grid} */ grid) => page.put(grid);
  for (const choice of window.querySelectorAll("button")) {
    const move = /** @type {import("./grid.js").Move | undefined} */ (choice.dataset.move);
    choice.addEventListener("click", () => {
      window.close();
      if (move) put(moved(page.grid, move));
    });
  }
  onClicks({
    "transform": () => {
      for (const list of [first, second]) list.replaceChildren(...range(page.geometry.side).map((digit) => new Option(page.write(digit), String(digit))));
      second.value = "2";
      window.showModal();
    },
    // The digits get numbers in the order of their first appearance.
    "transform-renumber": () => {
      const order = [...new Set([0, ...digitsOf(page.grid).filter(Boolean), ...range(page.geometry.side)])];
      put(renamed(page.grid, order.map((_, digit) => order.indexOf(digit))));
    },
    "transform-swap": () => {
      const [one, other] = [Number(first.value), Number(second.value)];
      put(renamed(page.grid, [0, ...range(page.geometry.side)].map((digit) => ({ [one]: other, [other]: one })[digit] ?? digit)));
    },
    "transform-minlex": () => void minlex(page.grid, page.gridRequest.begin()).then(put).catch(showError),
  });
}

/**
 * Transforms the grid to the minlex form of its clues.
 * @param {Grid} grid
 * @param {AbortSignal} signal
 */
async function minlex(grid, signal) {
  const { sources, names } = await ask("minlex", { grid: { shape: grid.shape, clues: grid.clues } }, signal);
  return remap(grid, grid.clues.map((_, cell) => sources.indexOf(cell)), names);
}
