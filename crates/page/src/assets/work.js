// @ts-check
// Work that takes a while: only the latest counts, and a dialog can start and stop it.

import { box, button, dialog, setText } from "./dom.js";
import { fail } from "./message.js";

/** Work of which only the latest counts: each beginning aborts the work before. */
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
 * Connects a dialog that does work. Its main button starts it, its other button stops it, and the end of the work closes the dialog.
 * @param {string} name the id of the button that opens it, and the beginning of the ids of its parts
 * @param {() => void} prepare is called before it opens
 * @param {(signal: AbortSignal) => Promise<unknown>} work returns true if the dialog should stay
 */
export function mountWork(name, prepare, work) {
  const window = dialog(`${name}-dialog`);
  const start = /** @type {HTMLButtonElement} */ (window.querySelector("button.main"));
  const latest = new Latest();
  const setRunning = (/** @type {boolean} */ isRunning) => {
    box(`${name}-running`).hidden = !isRunning;
    start.disabled = isRunning;
    setText(button(`${name}-cancel`), isRunning ? "Stop" : "Cancel");
  };
  button(name).addEventListener("click", () => {
    prepare();
    setRunning(false);
    window.showModal();
  });
  start.addEventListener("click", async () => {
    if (window.querySelector("form")?.reportValidity() === false) return;
    const signal = latest.begin();
    setRunning(true);
    const stays = await work(signal).catch(fail);
    if (signal.aborted) return;
    setRunning(false);
    if (!stays) window.close();
  });
  window.addEventListener("close", () => latest.stop());
}
