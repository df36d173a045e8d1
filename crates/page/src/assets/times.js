// @ts-check
// How long the page takes from a key to its answer, for those who measure it.

/** Keys that are kept. */
const KEPT = 1000;

/** @type {number | null} when the event came that is being handled */
let handled = null;
let began = 0;
/** @type {Set<string>} what is not answered yet */
const open = new Set();

/**
 * Handles an event that may change a digit.
 * @param {Event} event
 * @param {() => void} handle
 */
export function timed(event, handle) {
  handled = event.timeStamp;
  handle();
  handled = null;
}

/** Takes note that the digits changed: an earlier change is not answered any more. */
export function noteChange() {
  open.clear();
  if (handled === null) return;
  began = handled;
  if (performance.getEntriesByName("key").length >= KEPT) {
    performance.clearMarks("key");
    performance.clearMeasures();
  }
  performance.mark("key", { startTime: began });
  open.add("verdict").add("count");
}

/**
 * Takes note that an answer stands in the document.
 * @param {"verdict" | "count"} name
 */
export function noteAnswer(name) {
  if (open.delete(name)) performance.measure(name, { start: began, end: performance.now() });
}
