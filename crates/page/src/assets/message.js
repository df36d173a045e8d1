// @ts-check
// Error messages and short notes.

import { isAbort } from "./api.js";
import { button, elementById, setText } from "./dom.js";

/** The time in milliseconds for which a note stays. */
const NOTE = 6000;

let timer = 0;
/** The errors of repeated work, by source. Each is shown only once until the work succeeds again. @type {Map<string, string>} */
const said = new Map();
/** The open errors by source, with the latest at the end. @type {Map<string, string>} */
const open = new Map();

/** Shows the latest error. */
function draw() {
  const last = [...open.values()].at(-1);
  if (last !== undefined) setText(elementById("message-text"), last);
  elementById("message").hidden = last === undefined;
}

/** @param {unknown} error */
export const wordsOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Shows an error. Aborted questions are not errors.
 * @param {unknown} error
 * @param {string} [source] names the work that failed, if it repeats by itself
 */
export function showError(error, source = "") {
  if (isAbort(error)) return;
  const text = wordsOf(error);
  if (source && text === said.get(source)) return;
  if (source) said.set(source, text);
  open.delete(source);
  open.set(source, text);
  draw();
}

/**
 * Whether repeated work has failed and has not succeeded since.
 * @param {string} source
 */
export const hasFailed = (source) => said.has(source);

/**
 * Removes the error of work that has succeeded again.
 * @param {string} source
 */
export function clearErrorOf(source) {
  if (said.delete(source) && open.delete(source)) draw();
}

/** Removes the error of the user's last action, because the user is doing something else now. */
export function clearActionError() {
  if (open.delete("")) draw();
}

/** Removes the messages about the previous grid. */
export function clearGridMessages() {
  clearActionError();
  setText(elementById("note"), "");
}

/**
 * Shows a note for a while.
 * @param {string} text
 */
export function note(text) {
  clearActionError();
  setText(elementById("note"), text);
  clearTimeout(timer);
  timer = window.setTimeout(() => setText(elementById("note"), ""), NOTE);
}

/** Lets the user close the message. */
export function mountMessage() {
  button("message-close").addEventListener("click", () => {
    open.clear();
    draw();
  });
}
