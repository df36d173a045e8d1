// @ts-check
// What went wrong, and short notes.

import { isAbort } from "./api.js";
import { box, button } from "./dom.js";
import { setText } from "./elements.js";

/** Milliseconds for which a note stays. */
const NOTE = 6000;

let timer = 0;
/** What was said of an analysis that failed; it is said once, until one succeeds. */
let said = "";

/**
 * Shows an error. Questions that were given up are none.
 * @param {unknown} error
 * @param {boolean} [isOfAnalysis] whether it came by itself, with a key
 */
export function fail(error, isOfAnalysis = false) {
  if (isAbort(error)) return;
  const text = error instanceof Error ? error.message : String(error);
  if (isOfAnalysis && text === said) return;
  said = isOfAnalysis ? text : "";
  setText(box("message-text"), text);
  box("message").hidden = false;
}

/** Takes the error of an analysis away: it works again. */
export function recover() {
  if (!said) return;
  said = "";
  box("message").hidden = true;
}

/**
 * Shows a note for a while.
 * @param {string} text
 */
export function note(text) {
  setText(box("note"), text);
  clearTimeout(timer);
  timer = window.setTimeout(() => setText(box("note"), ""), NOTE);
}

/** Lets the message be closed. */
export function mountMessage() {
  button("message-close").addEventListener("click", () => (box("message").hidden = true));
}
