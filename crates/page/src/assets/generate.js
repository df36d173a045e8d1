// @ts-check
// The form of generate: the options of the command.

import { isAbort, listen } from "./api.js";
import { area, box, button, byId, dialog, fillSelect, input, mark, select, setText } from "./dom.js";
import { SHAPES, wholeGrid } from "./grid.js";
import { note } from "./message.js";
import { shapeName, SYMMETRIES } from "./tools.js";
import { counted, number } from "./words.js";

/** @typedef {import("./page.js").Page} Page */

/** The techniques that the field offers: names of gridmill rate, from 1.7 up. */
const TECHNIQUES =
  "direct-pointing direct-claiming direct-hidden-pair naked-single direct-hidden-triplet pointing claiming naked-pair x-wing hidden-pair naked-triplet swordfish " +
  "hidden-triplet turbot-fish xy-wing xyz-wing unique-rectangle unique-loop naked-quad jellyfish hidden-quad three-strong-links wxyz-wing bug four-strong-links " +
  "vwxyz-wing aligned-pair x-cycle y-cycle uvwxyz-wing x-chain chain cycle tuvwxyz-wing aligned-triplet nishio cell-chains house-chains dynamic-chains";

/**
 * Lets puzzles be generated.
 * @param {Page} page
 */
export function mountGenerate(page) {
  fillSelect(select("generate-shape"), SHAPES.map((shape) => [shape, shapeName(shape)]));
  fillSelect(select("generate-symmetry"), Object.entries(SYMMETRIES));
  box("techniques").replaceChildren(...TECHNIQUES.split(" ").map((name) => new Option(name)));
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
