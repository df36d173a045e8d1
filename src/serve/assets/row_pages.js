// @ts-check
// Rows of a view, fetched in pages as they are wanted.

/**
 * @typedef {object} Row
 * @property {number} row
 * @property {number} file
 * @property {number} number
 * @property {number} line
 * @property {string | null} puzzle
 * @property {string | null} shape
 * @property {number | null} clues
 * @property {string | null} status
 * @property {number | null} guesses
 * @property {number | null} time_ns
 * @property {number | null} er
 * @property {string | null} rating_end
 * @property {string[] | null} symmetries
 * @property {string | null} fault
 */
/** @typedef {{ total: number, from: number, revision: number, rows: Row[] }} Answer */
/** @typedef {{ rows: Row[], isStale: boolean }} Page */

/** The rows of a page. */
const PAGE = 100;
/** The pages that are kept. */
const KEPT = 60;
/** The time between the first wish for a page and its request, in ms: pages that are scrolled past meanwhile are never asked for. */
const DELAY = 30;
/** The time until a page that could not be had is asked for again, in ms. */
const RETRY = 1500;

export class RowPages {
  /** The pages, the one that was used last at the end. @type {Map<number, Page>} */
  #pages = new Map();
  /** What is on its way. @type {Map<number, AbortController>} */
  #requests = new Map();
  /** The first and the last page that are wanted. */
  #wanted = [0, -1];
  #timer = 0;
  #notBefore = 0;

  /**
   * @param {(from: number, count: number, signal: AbortSignal) => Promise<Answer>} load
   * @param {(answer: Answer) => void} loaded is called after each page
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

  /** Keeps the rows, and fetches them again where they are wanted: there may be news of them. */
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
   * Returns the position of a record among the rows that are there.
   * @param {number} row
   */
  find(row) {
    for (const [index, page] of this.#pages) {
      const place = page.rows.findIndex((known) => known.row === row);
      if (place >= 0 && !page.isStale) return index * PAGE + place;
    }
    return null;
  }

  /**
   * Says which positions are seen: what is missing of them is fetched, and no other page any more.
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

  #plan() {
    if (this.#timer !== 0 || this.#missing().length === 0) return;
    const wait = Math.max(DELAY, this.#notBefore - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      for (const index of this.#missing()) void this.#fetch(index);
    }, wait);
  }

  /** Returns the pages that are wanted, not there or stale, and not on their way. */
  #missing() {
    const missing = [];
    for (let index = this.#wanted[0]; index <= this.#wanted[1]; index++) {
      const page = this.#pages.get(index);
      if ((!page || page.isStale) && !this.#requests.has(index)) missing.push(index);
    }
    return missing;
  }

  /** @param {number} index */
  async #fetch(index) {
    const request = new AbortController();
    this.#requests.set(index, request);
    try {
      const answer = await this.load(index * PAGE, PAGE, request.signal);
      if (request.signal.aborted) return;
      this.#keep(index, { rows: answer.rows, isStale: false });
      this.loaded(answer);
    } catch (error) {
      if (request.signal.aborted) return;
      this.#notBefore = Date.now() + RETRY;
      this.failed(error);
    } finally {
      if (this.#requests.get(index) === request) this.#requests.delete(index);
      this.#plan();
    }
  }

  /**
   * @param {number} index
   * @param {Page} page
   */
  #keep(index, page) {
    this.#pages.delete(index);
    this.#pages.set(index, page);
    for (const old of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      if (!this.#isWanted(old)) this.#pages.delete(old);
    }
  }
}
