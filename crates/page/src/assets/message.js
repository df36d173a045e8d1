// @ts-check
// What went wrong, and short notes.

import { isAbort } from "./api.js";
import { box, button, setText } from "./dom.js";

/** Milliseconds for which a note stays. */
const NOTE = 6000;

let timer = 0;
/** The errors of work that repeats by itself. Each is shown once, until the work succeeds again. @type {Map<string, string>} */
const said = new Map();
/** The errors that are open, the last at the end, by their sources. @type {Map<string, string>} */
const open = new Map();

/** Shows what came last. */
function draw() {
  const last = [...open.values()].at(-1);
  if (last !== undefined) setText(box("message-text"), last);
  box("message").hidden = last === undefined;
}

/**
 * Shows an error. Questions that were given up are none.
 * @param {unknown} error
 * @param {string} [source] the work that failed, if it repeats by itself
 */
export function fail(error, source = "") {
  if (isAbort(error)) return;
  const text = error instanceof Error ? error.message : String(error);
  if (source && text === said.get(source)) return;
  if (source) said.set(source, text);
  open.delete(source);
  open.set(source, text);
  draw();
}

/**
 * Returns whether a work failed, and has not worked since.
 * @param {string} source
 */
export const hasFailed = (source) => said.has(source);

/**
 * Removes the error of work that succeeded again.
 * @param {string} source
 */
export function recover(source) {
  if (said.delete(source) && open.delete(source)) draw();
}

/** Removes the error of what the user did, because something else is done now. */
export function settle() {
  if (open.delete("")) draw();
}

/** Removes the messages about a grid that is no longer there. */
export function outdate() {
  settle();
  setText(box("note"), "");
}

/**
 * Shows a note for a while.
 * @param {string} text
 */
export function note(text) {
  settle();
  setText(box("note"), text);
  clearTimeout(timer);
  timer = window.setTimeout(() => setText(box("note"), ""), NOTE);
}

/** Lets the message be closed. */
export function mountMessage() {
  button("message-close").addEventListener("click", () => {
    open.clear();
    draw();
  });
}
