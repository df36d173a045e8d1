// @ts-check
// What went wrong, and short notes.

import { isAbort } from "./api.js";
import { box, button } from "./dom.js";
import { setText } from "./elements.js";

/** Milliseconds for which a note stays. */
const NOTE = 6000;

let timer = 0;
/** The last thing that was said, which is not said again when it was closed. */
let said = "";

/**
 * Shows an error, once until something else happens. Questions that were given up are none.
 * @param {unknown} error
 */
export function fail(error) {
  if (isAbort(error)) return;
  const text = error instanceof Error ? error.message : String(error);
  if (text === said) return;
  said = text;
  setText(box("message-text"), text);
  box("message").hidden = false;
}

/** Takes the error away: what failed works again. */
export function recover() {
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
