// @ts-check
// Work that takes a while: only the latest counts, and a dialog can start and stop it.

import { button, dialog, elementById, setText } from "./dom.js";
import { showError, wordsOf } from "./message.js";

/** Work of which only the latest counts: new work aborts the work before it. */
export class Latest {
  #running = new AbortController();

  get signal() {
    return this.#running.signal;
  }

  begin() {
    this.stop();
    this.#running = new AbortController();
    return this.signal;
  }

  stop() {
    this.#running.abort();
  }
}

/**
 * Connects a dialog that does work. Its main button starts it, its other button stops it, and the end of the work closes the dialog. An
 * error stays in the dialog, where the user can change the request; after the dialog was closed, it is shown on the page.
 * @param {string} name the id of the button that opens it, and the beginning of the ids of its parts
 * @param {() => void} prepare is called before it opens
 * @param {(signal: AbortSignal) => Promise<unknown>} work
 */
export function mountWork(name, prepare, work) {
  const window = dialog(`${name}-dialog`);
  const start = /** @type {HTMLButtonElement} */ (window.querySelector("button.main"));
  const problem = /** @type {HTMLElement} */ (window.querySelector(".error"));
  const latest = new Latest();
  const setRunning = (/** @type {boolean} */ isRunning) => {
    elementById(`${name}-running`).hidden = !isRunning;
    start.disabled = isRunning;
    setText(button(`${name}-cancel`), isRunning ? "Stop" : "Cancel");
  };
  const say = (/** @type {string} */ error) => {
    setText(problem, error);
    problem.hidden = !error;
  };
  button(name).addEventListener("click", () => {
    prepare();
    say("");
    setRunning(false);
    window.showModal();
  });
  start.addEventListener("click", async () => {
    if (window.querySelector("form")?.reportValidity() === false) return;
    const signal = latest.begin();
    setRunning(true);
    say("");
    await work(signal).then(
      () => signal.aborted || window.close(),
      (error) => (signal.aborted ? showError(error) : say(wordsOf(error))),
    );
    if (!signal.aborted) setRunning(false);
  });
  window.addEventListener("close", () => latest.stop());
}
