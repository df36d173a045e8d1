// @ts-check
// The buttons above the grid, and their dialogs.

import { fromFragment } from "./address.js";
import { ask, isAbort } from "./api.js";
import { area, box, button, dialog, fillSelect, input, select } from "./dom.js";
import { emptyGrid, geometry, SHAPES, symmetriesOf, wholeGrid, withAnswers } from "./grid.js";
import { lineOfPage } from "./keys.js";
import { note, settle } from "./message.js";
import { readPlain, readTable } from "./symbols.js";
import { counted } from "./words.js";

/** @typedef {import("./page.js").Page} Page */

/** @type {Record<string, string>} */
export const SYMMETRIES = {
  none: "none",
  rotate180: "half a turn",
  rotate90: "a quarter of a turn",
  mirror: "left and right",
  diagonal: "the diagonal",
};

/** Returns a shape with the size of its grid. @param {string} shape */
export const shapeName = (shape) => `${geometry(shape).side}×${geometry(shape).side}, boxes of ${shape.replace("x", "×")}`;

/**
 * Lets the buttons work.
 * @param {Page} page
 */
export function mountTools(page) {
  const failing = (/** @type {() => unknown} */ act) => async () => {
    try {
      await act();
    } catch (error) {
      page.fail(error);
    }
  };
  /** @type {Record<string, () => unknown>} */
  const actions = {
    "undo": () => page.undo(),
    "redo": () => page.redo(),
    "clear-answers": () => page.clearAnswers(),
    "solve": () => solve(page),
    "copy": () => toClipboard(lineOfPage(page), "Copied as one line"),
    "link": () => toClipboard(location.href, "The address is copied"),
    "paste": () => dialog("paste-dialog").showModal(),
    "keys-help": () => dialog("keys-dialog").showModal(),
  };
  for (const [id, act] of Object.entries(actions)) button(id).addEventListener("click", failing(act));
  for (const close of document.querySelectorAll("dialog [data-close]")) {
    close.addEventListener("click", () => close.closest("dialog")?.close());
  }
  mountNew(page);
  mountPaste(page);
  mountCopy(page);
  mountMinimize(page);
  const draw = () => {
    button("undo").disabled = !page.history.past.length;
    button("redo").disabled = !page.history.future.length;
    button("clear-answers").disabled = !page.grid.entries.some(Boolean) && !page.grid.removed.length;
  };
  const drawVerdict = () => {
    const { verdict, solution } = page.analysis;
    button("solve").disabled = !solution || page.grid.clues.every((clue, cell) => clue || page.grid.entries[cell]);
    button("browse").disabled = verdict === "none";
    button("minimize").disabled = verdict !== "unique";
  };
  page.on("grid", draw);
  page.on("grid", drawVerdict);
  page.on("analysis", drawVerdict);
  draw();
}

/** @param {Page} page */
function solve(page) {
  const { solution } = page.analysis;
  if (solution) page.put(withAnswers(page.grid, solution));
}

/**
 * Copies a text, or shows it for copying where the browser does not let that.
 * @param {string} text
 * @param {string} done
 */
async function toClipboard(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    note(done);
  } catch {
    area("copy-text").value = text;
    button("copy-take").disabled = false;
    dialog("copy-dialog").showModal();
    area("copy-text").select();
  }
}

/**
 * Shows the first puzzle of a text in any format.
 * @param {Page} page
 * @param {string} text
 */
export async function paste(page, text) {
  if (!text.trim()) return note("The clipboard holds no text");
  settle();
  const { signal } = page.expect();
  const { shape } = page.grid;
  const plain = readLink(text) ?? readPlain(text, shape) ?? readTable(text, shape);
  if (plain) return page.put(wholeGrid(plain), { isLoad: true });
  const { grid, records } = await ask("read", { text, shape }, signal);
  page.put(wholeGrid(grid), { isLoad: true });
  if (records > 1) note(`The first of ${counted(records, "record")}`);
}

/**
 * Returns the grid of an address of the page, or null for any other text.
 * @param {string} text
 */
function readLink(text) {
  const [, fragment] = /^https?:\/\/[^\s#]*#(\S+)$/.exec(text.trim()) ?? [];
  return fragment === undefined ? null : (fromFragment(fragment)?.grid ?? null);
}

/** @param {Page} page */
function mountPaste(page) {
  button("paste-read").addEventListener("click", async () => {
    try {
      await paste(page, area("paste-text").value);
      area("paste-text").value = "";
    } catch (error) {
      page.fail(error);
    }
    dialog("paste-dialog").close();
  });
}

/** @param {Page} page */
function mountNew(page) {
  const shapes = select("new-shape");
  fillSelect(shapes, SHAPES.map((shape) => [shape, shapeName(shape)]));
  button("new").addEventListener("click", () => {
    shapes.value = page.grid.shape;
    dialog("new-dialog").showModal();
  });
  button("new-start").addEventListener("click", () => {
    dialog("new-dialog").close();
    page.setMode(true);
    page.put(emptyGrid(shapes.value), { isLoad: true });
  });
}

/** @param {Page} page */
function mountCopy(page) {
  const form = select("copy-form");
  let running = new AbortController();
  async function draw() {
    running.abort();
    running = new AbortController();
    button("copy-take").disabled = true;
    try {
      area("copy-text").value = (await ask("write", { grid: page.grid, form: form.value }, running.signal)).text;
      button("copy-take").disabled = false;
    } catch (error) {
      if (isAbort(error)) return;
      dialog("copy-dialog").close();
      page.fail(error);
    }
  }
  form.addEventListener("change", draw);
  button("copy-as").addEventListener("click", () => {
    for (const option of form.options) option.disabled = page.grid.shape !== "3x3" && ["hodoku", "pencilmarks"].includes(option.value);
    if (form.selectedOptions[0]?.disabled) form.value = "framed";
    dialog("copy-dialog").showModal();
    draw();
  });
  dialog("copy-dialog").addEventListener("close", () => running.abort());
  button("copy-take").addEventListener("click", async () => {
    dialog("copy-dialog").close();
    await toClipboard(area("copy-text").value, "Copied");
  });
}

/** @param {Page} page */
function mountMinimize(page) {
  let running = new AbortController();
  const symmetry = select("minimize-symmetry");
  button("minimize").addEventListener("click", () => {
    fillSelect(symmetry, ["none", ...symmetriesOf(page.grid)].map((name) => [name, SYMMETRIES[name]]));
    box("minimize-running").hidden = true;
    button("minimize-start").disabled = false;
    dialog("minimize-dialog").showModal();
  });
  button("minimize-start").addEventListener("click", async () => {
    running = new AbortController();
    box("minimize-running").hidden = false;
    button("minimize-start").disabled = true;
    const { grid } = page;
    const question = { grid, seed: Number(input("minimize-seed").value) || 1, symmetry: symmetry.value };
    try {
      const { clues, taken } = await ask("minimize", question, running.signal);
      if (page.grid === grid) page.put(wholeGrid({ ...grid, clues, entries: [], removed: [] }), { isLoad: true, origin: page.origin });
      note(taken ? `${counted(taken, "clue")} taken out` : "No clue can go");
    } catch (error) {
      page.fail(error);
    }
    dialog("minimize-dialog").close();
  });
  dialog("minimize-dialog").addEventListener("close", () => running.abort());
}
