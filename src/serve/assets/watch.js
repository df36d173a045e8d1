// @ts-check
// News of the collection: how far it is read, searched and rated.

import { ask } from "./api.js";

/**
 * @typedef {object} State
 * @property {{ name: string, format: string | null, kind: string | null, bytes: number, records: number, note: string | null, error: string | null }[]} files
 * @property {number} records
 * @property {boolean} is_indexed
 * @property {number} solved
 * @property {number} rated
 * @property {boolean} is_rating
 * @property {number} revision
 * @property {string | null} error
 */

/** The time between two questions while something changes, and while nothing does, in ms. */
const SOON = 300;
const LATE = 3000;

/**
 * Asks for the state of the collection again and again while the place can be seen. Returns a function that asks at once.
 * @param {Element} place
 * @param {(state: State) => void} hear
 * @param {(error: unknown) => void} fail
 */
export function watch(place, hear, fail) {
  let timer = 0;
  let revision = -1;
  let isAsking = false;
  const isSeen = () => !document.hidden && place.getClientRects().length > 0;

  async function next() {
    clearTimeout(timer);
    if (isAsking || !isSeen()) return;
    isAsking = true;
    let wait = LATE;
    try {
      /** @type {State} */
      const state = await ask("collection", {});
      if (state.revision !== revision || !state.is_indexed || state.is_rating) wait = SOON;
      revision = state.revision;
      hear(state);
    } catch (error) {
      fail(error);
    }
    isAsking = false;
    timer = setTimeout(next, wait);
  }

  document.addEventListener("visibilitychange", () => void next());
  new ResizeObserver(() => void next()).observe(place);
  return () => void next();
}
