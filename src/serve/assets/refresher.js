// @ts-check
// Work that is done again when there is news, and not too often.

export class Refresher {
  /** @type {AbortController | null} */
  #running = null;
  #isWanted = false;
  #timer = 0;
  #notBefore = 0;

  /**
   * @param {(signal: AbortSignal) => Promise<void>} work
   * @param {number} pause the time between two beginnings, in ms
   * @param {(error: unknown) => void} fail
   */
  constructor(work, pause, fail) {
    this.work = work;
    this.pause = pause;
    this.fail = fail;
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
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, this.#notBefore - Date.now()));
  }

  async #run() {
    const running = new AbortController();
    this.#running = running;
    this.#isWanted = false;
    this.#notBefore = Date.now() + this.pause;
    try {
      await this.work(running.signal);
    } catch (error) {
      if (!running.signal.aborted) this.fail(error);
    }
    if (this.#running !== running) return;
    this.#running = null;
    if (this.#isWanted) this.soon();
  }
}
