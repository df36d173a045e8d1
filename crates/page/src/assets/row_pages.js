// @ts-check
// Rows of a view, fetched in pages as they are wanted.

/** The rows of a page, and how many pages are kept. */
const PAGE = 100;
const KEPT = 60;
/** The time between the first wish for a page and its request, in ms: pages that are scrolled past meanwhile are never asked for. */
const DELAY = 30;
/** The time until pages are asked for again after a failure, in ms. */
const RETRY = 1500;

export class RowPages {
  /** The pages, the one that came last at the end. @type {Map<number, { rows: Row[], isStale: boolean }>} */
  #pages = new Map();
  /** What is on its way. @type {Map<number, AbortController>} */
  #requests = new Map();
  /** The first and the last page that are wanted. */
  #wanted = [0, -1];
  #timer = 0;
  #notBefore = 0;

  /**
   * @param {(from: number, count: number, signal: AbortSignal) => Promise<Rows>} load
   * @param {(answer: Rows) => void} loaded is called after each page
   * @param {(error: unknown) => void} failed
   */
  constructor(load, loaded, failed) {
    this.load = load;
    this.loaded = loaded;
    this.failed = failed;
  }

  /** Forgets all rows: they are of another view. */
  clear() {
    this.#pages.clear();
    for (const request of this.#requests.values()) request.abort();
    this.#requests.clear();
    this.#notBefore = 0;
  }

  /** Fetches rows again where they are wanted, and shows the old ones until then. */
  outdate() {
    for (const page of this.#pages.values()) page.isStale = true;
    this.#plan();
  }

  /**
   * Returns the row at a position of the view, if it is there.
   * @param {number} position
   */
  at(position) {
    return this.#pages.get(Math.floor(position / PAGE))?.rows[position % PAGE];
  }

  /**
   * Returns the position of a record, if it is among the rows that are there.
   * @param {number} record
   */
  find(record) {
    for (const [index, page] of this.#pages) {
      const place = page.isStale ? -1 : page.rows.findIndex(({ row }) => row === record);
      if (place >= 0) return index * PAGE + place;
    }
    return null;
  }

  /**
   * Says which positions are seen: what is missing of them is fetched, and nothing else any more.
   * @param {number} first
   * @param {number} last
   */
  want(first, last) {
    this.#wanted = [Math.floor(first / PAGE), Math.floor(last / PAGE)];
    for (const [index, request] of this.#requests) if (!this.#isWanted(index)) request.abort();
    this.#plan();
  }

  /** @param {number} index */
  #isWanted(index) {
    return index >= this.#wanted[0] && index <= this.#wanted[1];
  }

  /** Returns the pages that are wanted, not there or stale, and not on their way. */
  #missing() {
    const missing = [];
    for (let index = this.#wanted[0]; index <= this.#wanted[1]; index++) {
      if ((this.#pages.get(index)?.isStale ?? true) && !this.#requests.has(index)) missing.push(index);
    }
    return missing;
  }

  #plan() {
    if (this.#timer !== 0 || this.#missing().length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      for (const index of this.#missing()) void this.#fetch(index);
    }, Math.max(DELAY, this.#notBefore - Date.now()));
  }

  /** @param {number} index */
  async #fetch(index) {
    const request = new AbortController();
    const { signal } = request;
    this.#requests.set(index, request);
    try {
      const answer = await this.load(index * PAGE, PAGE, signal);
      if (signal.aborted) return;
      this.#keep(index, answer.rows);
      this.loaded(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.#notBefore = Date.now() + RETRY;
      this.failed(error);
    } finally {
      if (this.#requests.get(index) === request) this.#requests.delete(index);
      this.#plan();
    }
  }

  /**
   * @param {number} index
   * @param {Row[]} rows
   */
  #keep(index, rows) {
    this.#pages.delete(index);
    this.#pages.set(index, { rows, isStale: false });
    for (const old of this.#pages.keys()) {
      if (this.#pages.size > KEPT && !this.#isWanted(old)) this.#pages.delete(old);
    }
  }
}
