// @ts-check
// The form of `generate`, and the puzzles that it has made, one at a time.

import { isAbort, listen } from "./api.js";
import { area, box, button, byId, counted, dialog, input, mark, number, onClicks, select, setText } from "./dom.js";
import { save } from "./export.js";
import { geometry, wholeGrid } from "./grid.js";
import { note } from "./message.js";
import { lineOf } from "./symbols.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {{grid: import("./grid.js").Grid, guesses: number, er: number | null, seed: number}} Made */

/**
 * Connects the dialog that generates puzzles.
 * @param {Page} page
 */
export function mountGenerate(page) {
  const window = dialog("generate-dialog");
  const list = new MadeList(page);
  let running = new AbortController();

  /** @param {boolean} isRunning */
  function setRunning(isRunning) {
    box("generate-running").hidden = !isRunning;
    button("generate-start").disabled = isRunning;
    setText(button("generate-cancel"), isRunning ? "Stop" : "Cancel");
    if (isRunning) showAttempts(0);
  }

  async function start() {
    running = new AbortController();
    const own = running;
    const asked = question();
    list.close();
    setRunning(true);
    showError("");
    try {
      await listen("generate", asked, own.signal, (event) => {
        if (event.event === "attempts") showAttempts(event.attempts);
        if (event.event === "puzzle") {
          list.add(event, asked.count, own);
          window.close();
        }
      });
    } catch (error) {
      if (isAbort(error)) return;
      if (window.open) showError(error instanceof Error ? error.message : String(error));
      else page.fail(error);
    } finally {
      list.end(own);
      if (own === running) setRunning(false);
    }
  }

  button("generate").addEventListener("click", () => {
    setRunning(false);
    showError("");
    select("generate-shape").value = page.grid.shape;
    draw9x9();
    window.showModal();
  });
  select("generate-shape").addEventListener("change", draw9x9);
  byId("generate-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    start();
  });
  // The first puzzle closes the dialog while more are being made, so closing must not stop the work then.
  window.addEventListener("close", () => list.isOf(running) || running.abort());
}

/** The puzzles of one run, which the user can look through. */
class MadeList {
  /** @type {Made[]} */
  #made = [];
  #index = 0;
  #wanted = 0;
  /** @type {AbortController | null} stops the work that makes them */
  #running = null;
  #isOver = true;
  #isShowing = false;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    onClicks({
      "made-prev": () => this.#show(this.#index - 1),
      "made-next": () => this.#show(this.#index + 1),
      "made-stop": () => this.#running?.abort(),
      "made-save": () => this.#save(),
      "made-close": () => this.close(),
    });
    page.on("grid", ({ isLoad }) => isLoad && !this.#isShowing && this.close());
  }

  /** @param {AbortController} running */
  isOf(running) {
    return this.#running === running;
  }

  /**
   * Adds a puzzle, and shows it if it is the first.
   * @param {Made} made
   * @param {number} wanted
   * @param {AbortController} running
   */
  add(made, wanted, running) {
    [this.#wanted, this.#running, this.#isOver] = [wanted, running, false];
    this.#made.push({ ...made, grid: wholeGrid(made.grid) });
    if (this.#made.length === 1) this.#show(0);
    else this.#draw();
  }

  /**
   * Records that no more puzzles will come.
   * @param {AbortController} running
   */
  end(running) {
    if (!this.isOf(running)) return;
    this.#isOver = true;
    this.#draw();
  }

  close() {
    this.#running?.abort();
    [this.#made, this.#running, this.#wanted] = [[], null, 0];
    this.#draw();
  }

  /** @param {number} index */
  #show(index) {
    this.#index = index;
    const { grid, guesses, er, seed } = this.#made[index];
    this.#isShowing = true;
    this.page.put(grid, { isLoad: true });
    this.#isShowing = false;
    this.#draw();
    const clues = grid.clues.filter(Boolean).length;
    const facts = [counted(clues, "clue"), `${number(guesses)} ${guesses === 1 ? "guess" : "guesses"}`, er !== null && `er ${er.toFixed(1)}`, `seed ${seed}`];
    note(facts.filter(Boolean).join(", "));
  }

  #draw() {
    const found = this.#made.length;
    box("made").hidden = this.#wanted < 2;
    mark(box("made"), { "data-index": this.#index, "data-made": found, "data-over": String(this.#isOver) });
    setText(box("made-place"), `generated puzzle ${number(this.#index + 1)} of ${number(found)}${this.#isOver ? "" : " so far"}`);
    button("made-prev").disabled = this.#index === 0;
    button("made-next").disabled = this.#index >= found - 1;
    button("made-stop").hidden = this.#isOver;
  }

  #save() {
    const line = (/** @type {import("./grid.js").Grid} */ { shape, clues }) => `${lineOf(clues, geometry(shape).side, this.page.settings.symbols)}\n`;
    save("puzzles.txt", new Blob(this.#made.map(({ grid }) => line(grid)), { type: "text/plain" }));
  }
}

/** Disables the fields that are only for 9x9. */
function draw9x9() {
  byId("generate-9x9", HTMLFieldSetElement).disabled = select("generate-shape").value !== "3x3";
}

/** @param {string} text the message, or an empty text if there is none */
function showError(text) {
  setText(box("generate-error"), text);
  box("generate-error").hidden = !text;
}

/** @param {number} attempts */
function showAttempts(attempts) {
  mark(box("generate-running"), { "data-attempts": attempts });
  setText(box("generate-attempts-text"), counted(attempts, "attempt"));
}

/** The form as a question to the server. */
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
    count: field("count") ?? 1,
  };
}
