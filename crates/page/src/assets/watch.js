// @ts-check
// News of the collection: how far it is read, searched and rated.

import { ask } from "./api.js";

/** The time between two questions while something changes, and while nothing does, in ms. */
const SOON = 300;
const LATE = 3000;

/**
 * Asks for the state of the collection again and again while the place can be seen. Returns a function that asks at once.
 * @param {Element} place
 * @param {(state: CollectionState) => void} hear
 * @param {(error: unknown) => void} fail
 */
export function watch(place, hear, fail) {
  let timer = 0;
  let revision = -1;
  let isAsking = false;

  async function next() {
    clearTimeout(timer);
    if (isAsking || document.hidden || place.getClientRects().length === 0) return;
    isAsking = true;
    let wait = LATE;
    try {
      /** @type {CollectionState} */
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

  document.addEventListener("visibilitychange", next);
  new ResizeObserver(next).observe(place);
  return next;
}
