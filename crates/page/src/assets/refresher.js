// @ts-check
// Work that is done again when there is news, and not too often.

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
