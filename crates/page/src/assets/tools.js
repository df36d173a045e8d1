// @ts-check
// The buttons above the grid, and their dialogs.

import { fromFragment } from "./address.js";
import { ask, isAbort, listen } from "./api.js";
import { area, box, button, byId, counted, dialog, input, mark, number, onClicks, select, setText } from "./dom.js";
import { clearAnswers, digitsOf, emptyGrid, geometry, SHAPES, symmetriesOf, wholeGrid, withAnswers } from "./grid.js";
import { lineOfPage } from "./keys.js";
import { note, settle } from "./message.js";
import { plainText, readPlain, readTable } from "./symbols.js";

/** @typedef {import("./page.js").Page} Page */

/** Returns a shape with the size of its grid. @param {string} shape */
const shapeName = (shape) => `${geometry(shape).side}×${geometry(shape).side}, boxes of ${shape.replace("x", "×")}`;

/**
 * Lets the buttons work.
 * @param {Page} page
 */
export function mountTools(page) {
  onClicks({
    "undo": () => page.undo(),
    "redo": () => page.redo(),
    "clear-answers": () => page.put(clearAnswers(page.grid)),
    "solve": () => page.analysis.solution && page.put(withAnswers(page.grid, page.analysis.solution)),
    "copy": () => toClipboard(lineOfPage(page), "Copied as one line"),
    "link": () => toClipboard(location.href, "The address is copied"),
    "paste": () => dialog("paste-dialog").showModal(),
    "paste-read": () => pasteTyped(page),
    "keys-help": () => dialog("keys-dialog").showModal(),
  });
  for (const close of document.querySelectorAll("dialog [data-close]")) {
    close.addEventListener("click", () => close.closest("dialog")?.close());
  }
  for (const id of ["new-shape", "generate-shape"]) select(id).replaceChildren(...SHAPES.map((shape) => new Option(shapeName(shape), shape)));
  mountNew(page);
  mountBoxes(page);
  mountCopy(page);
  mountMinimize(page);
  mountGenerate(page);
  const draw = () => {
    button("undo").disabled = !page.history.past.length;
    button("redo").disabled = !page.history.future.length;
    button("clear-answers").disabled = JSON.stringify(clearAnswers(page.grid)) === JSON.stringify(page.grid);
  };
  const drawVerdict = () => {
    const { verdict, solution } = page.analysis;
    button("solve").disabled = !solution || digitsOf(page.grid).every(Boolean);
    button("browse").disabled = verdict === "none";
    button("minimize").disabled = verdict !== "unique";
  };
  page.on("grid", draw);
  page.on(["grid", "analysis"], drawVerdict);
  draw();
}

/**
 * Copies a text, or shows it for copying if the browser does not allow that.
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
 * @param {string} pasted
 */
export async function paste(page, pasted) {
  const text = plainText(pasted);
  if (!text.trim()) return note("The clipboard holds no text");
  settle();
  const { signal } = page.expect();
  const { shape } = page.grid;
  const plain = readLink(text) ?? readPlain(text, shape) ?? readTable(text, shape);
  if (plain) return page.put(wholeGrid(plain), { isLoad: true });
  const { grid, records } = await ask("read", { text, shape, symbols: page.settings.symbols }, signal);
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
async function pasteTyped(page) {
  try {
    await paste(page, area("paste-text").value);
    area("paste-text").value = "";
  } catch (error) {
    page.fail(error);
  }
  dialog("paste-dialog").close();
}

/** @param {Page} page */
function mountNew(page) {
  const shapes = select("new-shape");
  button("new").addEventListener("click", () => {
    shapes.value = page.grid.shape;
    dialog("new-dialog").showModal();
  });
  button("new-start").addEventListener("click", () => {
    dialog("new-dialog").close();
    page.set({ isSolving: false });
    page.setMode("clues");
    page.put(emptyGrid(shapes.value), { isLoad: true });
  });
}

/**
 * Lets the same digits have other boxes, where their side has several: a text of digits alone does not say which it means.
 * @param {Page} page
 */
function mountBoxes(page) {
  const boxes = select("boxes");
  boxes.addEventListener("change", () => page.put({ ...page.grid, shape: boxes.value, removed: [] }));
  const draw = () => {
    const shapes = SHAPES.filter((shape) => geometry(shape).side === page.geometry.side);
    boxes.replaceChildren(...shapes.map((shape) => new Option(shape.replace("x", "×"), shape)));
    boxes.value = page.grid.shape;
    box("boxes-label").hidden = shapes.length < 2;
  };
  page.on("grid", draw);
  draw();
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
      area("copy-text").value = (await ask("write", { grid: page.grid, form: form.value, symbols: page.settings.symbols }, running.signal)).text;
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
    const names = ["none", ...symmetriesOf(page.grid)];
    for (const option of symmetry.options) option.hidden = option.disabled = !names.includes(option.value);
    symmetry.value = "none";
    box("minimize-running").hidden = true;
    button("minimize-start").disabled = false;
    dialog("minimize-dialog").showModal();
  });
  button("minimize-start").addEventListener("click", async () => {
    running = new AbortController();
    box("minimize-running").hidden = false;
    button("minimize-start").disabled = true;
    const { grid } = page;
    const seed = input("minimize-seed").value;
    const question = { grid, seed: seed === "" ? 1 : Number(seed), symmetry: symmetry.value };
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

/**
 * Lets puzzles be generated.
 * @param {Page} page
 */
function mountGenerate(page) {
  const window = dialog("generate-dialog");
  const form = byId("generate-form", HTMLFormElement);
  let running = new AbortController();

  /** @param {boolean} isRunning */
  function setRunning(isRunning) {
    box("generate-running").hidden = !isRunning;
    button("generate-start").disabled = isRunning;
    if (isRunning) showAttempts(0);
  }

  async function start() {
    running = new AbortController();
    const own = running;
    setRunning(true);
    showError("");
    try {
      await listen("generate", question(), own.signal, (event) => {
        if (event.event === "attempts") showAttempts(event.attempts);
        if (event.event === "puzzle") finish(event);
      });
    } catch (error) {
      if (!isAbort(error)) showError(error instanceof Error ? error.message : String(error));
    }
    if (own === running) setRunning(false);
  }

  /** @param {any} puzzle */
  function finish({ grid, guesses, er, seed }) {
    window.close();
    page.put(wholeGrid(grid), { isLoad: true });
    const clues = grid.clues.filter(Boolean).length;
    const facts = [counted(clues, "clue"), `${number(guesses)} ${guesses === 1 ? "guess" : "guesses"}`, er !== null && `er ${er.toFixed(1)}`, `seed ${seed}`];
    note(facts.filter(Boolean).join(", "));
  }

  button("generate").addEventListener("click", () => {
    setRunning(false);
    showError("");
    select("generate-shape").value = page.grid.shape;
    draw9x9();
    window.showModal();
  });
  select("generate-shape").addEventListener("change", draw9x9);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start();
  });
  window.addEventListener("close", () => running.abort());
}

/** Leaves out what only 9x9 has. */
function draw9x9() {
  byId("generate-9x9", HTMLFieldSetElement).disabled = select("generate-shape").value !== "3x3";
}

/** @param {string} text what went wrong, if anything did */
function showError(text) {
  setText(box("generate-error"), text);
  box("generate-error").hidden = !text;
}

/** @param {number} attempts */
function showAttempts(attempts) {
  mark(box("generate-running"), { "data-attempts": attempts });
  setText(box("generate-attempts-text"), counted(attempts, "attempt"));
}

/** Returns the form as a question. */
function question() {
  const field = (/** @type {string} */ id) => (input(`generate-${id}`).value === "" ? null : Number(input(`generate-${id}`).value));
  const range = (/** @type {string} */ id) => {
    const [least, most] = [field(`${id}-min`), field(`${id}-max`)];
    return least === null && most === null ? null : [least, most];
  };
  const chosen = (/** @type {string} */ id) => select(`generate-${id}`).value || null;
  const is9x9 = select("generate-shape").value === "3x3";
  const techniques = input("generate-technique").value.split(/[\s,]+/).filter(Boolean);
  return {
    shape: select("generate-shape").value,
    clues: range("clues"),
    minimal: input("generate-minimal").checked,
    symmetry: chosen("symmetry"),
    pattern: area("generate-pattern").value.trim() || null,
    guesses: range("guesses"),
    no_guess: input("generate-no-guess").checked,
    er: is9x9 ? range("er") : null,
    technique: is9x9 && techniques.length ? techniques : null,
    scale: is9x9 ? chosen("scale") : null,
    grid_method: chosen("grid-method"),
    seed: field("seed"),
    attempts: field("attempts"),
  };
}
