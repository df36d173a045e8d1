// @ts-check
// News of the collection: how far it is read, searched and rated; and work that is done again when there is some, not too often.

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

/** The part of the time that work may take: one in so many. */
const SHARE = 10;

export class Refresher {
  /** @type {AbortController | null} */
  #running = null;
  #isWanted = false;
  #timer = 0;
  #notBefore = 0;

  /**
   * @param {(signal: AbortSignal) => Promise<void>} work
   * @param {number} pause the least time between an end and the next beginning, in ms
   */
  constructor(work, pause) {
    this.work = work;
    this.pause = pause;
  }

  /** Begins at once. What is under way is outdated, and given up. */
  now() {
    this.#running?.abort();
    this.#running = null;
    this.#notBefore = 0;
    this.soon();
  }

  /** Begins when what is under way has ended, and the pause is over. */
  soon() {
    this.#isWanted = true;
    if (this.#running) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), this.#notBefore - Date.now());
  }

  async #run() {
    const running = (this.#running = new AbortController());
    this.#isWanted = false;
    const begun = Date.now();
    await this.work(running.signal);
    if (this.#running !== running) return;
    this.#running = null;
    this.#notBefore = Date.now() + Math.max(this.pause, SHARE * (Date.now() - begun));
    if (this.#isWanted) this.soon();
  }
}
