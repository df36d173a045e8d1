// @ts-check
// The table of records. Only the visible rows are in the document, and rows are fetched in pages as needed, so that any number of
// records is possible.

import { duration, element, elementById, number, setAttributes, setText } from "./dom.js";
import { TITLES } from "./view.js";

/**
 * @typedef {import("./view.js").Sort} Sort
 * @typedef {import("./view.js").SortKey} SortKey
 * @typedef {{row: number, file: number, puzzle: string | null, clues: number | null, status: string | null, guesses: number | null,
 *   time_ns: number | null, er: number | null, rating_end: string | null, symmetries: string[] | null, fault: string | null, own: string[]}} Row
 * @typedef {{total: number, rows: Row[], unsearched: number}} Rows `unsearched` is the number of records that the search of the filter
 *   has not reached yet
 * @typedef {object} Loader
 * @property {(from: number, count: number, signal: AbortSignal) => Promise<Rows>} load
 * @property {(answer: Rows) => void} loaded is called after each page
 * @property {(error: unknown) => void} failed
 */

/** The number of rows per page, and the number of pages that are kept. */
const PAGE = 100;
const KEPT = 60;
/** The time between the need for a page and its request, in ms. Pages that are scrolled past meanwhile are never requested. */
const DELAY = 30;
/** The time after a failure until pages are requested again, in ms. */
const RETRY = 1500;

export class RowPages {
  /** The pages, with the latest at the end. @type {Map<number, { rows: Row[], isStale: boolean }>} */
  #pages = new Map();
  /** The open requests. @type {Map<number, AbortController>} */
  #requests = new Map();
  /** The first and the last page that are needed. */
  #wanted = [0, -1];
  #timer = 0;
  #notBefore = 0;

  /** @param {Loader} loader */
  constructor(loader) {
    this.loader = loader;
  }

  /** Discards all rows, because the view has changed. */
  clear() {
    this.#pages.clear();
    for (const request of this.#requests.values()) request.abort();
    this.#requests.clear();
    this.#notBefore = 0;
  }

  /** Fetches the needed rows again. The old ones are shown until then. */
  outdate() {
    for (const page of this.#pages.values()) page.isStale = true;
    this.#plan();
  }

  /**
   * The row at a position of the view, if it has been fetched.
   * @param {number} position
   */
  at(position) {
    return this.#pages.get(Math.floor(position / PAGE))?.rows[position % PAGE];
  }

  /**
   * The position of a record, if it is among the fetched rows.
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
   * Sets the visible positions. Their missing rows are fetched, and other requests are aborted.
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

  /** The needed pages that are missing or outdated, and not being fetched. */
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
      const answer = await this.loader.load(index * PAGE, PAGE, signal);
      this.#keep(index, answer.rows);
      this.loader.loaded(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.#notBefore = Date.now() + RETRY;
      this.loader.failed(error);
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

/*
 * The scroll position of a table with any number of rows.
 *
 * Browsers limit the height of elements, so the scrolled space is lower than the rows of a large table. Near both ends of the
 * space, a pixel of it is a pixel of the rows; in between, the space is scaled. There, far movements (e.g. dragging the scrollbar)
 * are scaled to the rows, while near ones (e.g. the mouse wheel) move the rows by the same number of pixels. After near movements
 * the scrollbar is slightly off, until it is set to `resting`.
 */

/**
 * The greatest height of the scrolled space, in pixels, that works in all browsers. Each has its own limit: Firefox keeps a sticky
 * element, such as the pane of the rows, in place only down to 8,947,848 pixels. Chromium can lay out 33,554,432 pixels of the
 * screen, which are 6,710,886 pixels of a page at a zoom of 500 %.
 */
const HIGHEST = 6e6;
/** The height of the part at each end that is not scaled. */
const END = 1e6;

/**
 * Converts a place from one space to the other.
 * @param {number} place
 * @param {number} from the last place of the first space
 * @param {number} to the last place of the second space
 */
function between(place, from, to) {
  if (from === to || place <= END) return place;
  if (from - place <= END) return to - (from - place);
  return END + ((place - END) / (from - 2 * END)) * (to - 2 * END);
}

class ScrollSpace {
  rows = 0;
  rowHeight = 28;
  /** The height of the visible part. */
  viewHeight = 0;
  /** The first visible row, with a fraction if it is cut off. */
  top = 0;
  /** The last position of the browser's scrollbar. */
  place = 0;

  get height() {
    return Math.min(this.rows * this.rowHeight, HIGHEST);
  }

  get rowsInView() {
    return this.viewHeight / this.rowHeight;
  }

  /** The last place of the rows, in pixels. */
  get #last() {
    return Math.max(0, this.rows * this.rowHeight - this.viewHeight);
  }

  /** The last place of the browser's scrollbar. */
  get #lastPlace() {
    return Math.max(0, this.height - this.viewHeight);
  }

  /** The scrollbar position that belongs to the visible rows. */
  get resting() {
    return between(this.top * this.rowHeight, this.#last, this.#lastPlace);
  }

  /**
   * Follows a movement of the scrollbar.
   * @param {number} place
   */
  scrolled(place) {
    const by = place - this.place;
    this.place = place;
    const isNear = Math.abs(by) < this.viewHeight && place > END && place < this.#lastPlace - END;
    if (isNear) this.move(this.top + by / this.rowHeight);
    else if (by !== 0) this.move(between(place, this.#lastPlace, this.#last) / this.rowHeight);
  }

  /**
   * Scrolls a row into view, as little as possible.
   * @param {number} row
   */
  show(row) {
    this.move(Math.min(row, Math.max(this.top, row + 1 - this.rowsInView)));
  }

  /**
   * Makes a row the first visible one, as far as there are rows below.
   * @param {number} top
   */
  move(top) {
    this.top = Math.max(0, Math.min(top, this.#last / this.rowHeight));
  }
}

/** @typedef {{ open: (row: Row) => void, sort: (by: SortKey) => void, move: (record: number) => void, losePosition: () => void }} Listeners
 * `losePosition` is called if the current record is not in the view any more.
 */

/** The time after the last movement until the scrollbar is corrected, in ms. */
const REST = 150;

/** @type {{ name: string, title: string, by?: SortKey, text: (row: Row, files: string[]) => string }[]} */
const COLUMNS = [
  { name: "record", title: "#", by: "row", text: ({ row }) => number(row + 1) },
  { name: "file", title: TITLES.file, text: ({ file }, files) => files[file] ?? "" },
  { name: "puzzle", title: "Puzzle", text: ({ puzzle, fault }) => puzzle ?? fault ?? "" },
  { name: "clues", title: TITLES.clues, by: "clues", text: ({ clues }) => String(clues ?? "") },
  { name: "status", title: TITLES.status, by: "status", text: ({ status }) => status ?? "…" },
  { name: "guesses", title: TITLES.guesses, by: "guesses", text: ({ guesses }) => (guesses === null ? "" : number(guesses)) },
  { name: "time", title: TITLES.time_ns, by: "time_ns", text: ({ time_ns }) => (time_ns === null ? "" : duration(time_ns)) },
  { name: "er", title: TITLES.er, by: "er", text: ({ er, rating_end }) => er?.toFixed(1) ?? rating_end ?? "" },
  { name: "symmetry", title: TITLES.symmetry, text: ({ symmetries }) => symmetries?.join(", ") ?? "" },
];

export class Table {
  #space = new ScrollSpace();
  /** The position of the current row; -1 if there is none or it is not known. */
  #current = -1;
  /** The record of the current row; null if there is none or it has not been fetched. @type {number | null} */
  record = null;
  /** @type {HTMLElement[]} */
  #rows = [];
  #isDrawing = false;
  /** Whether to open the current row as soon as it arrives. */
  #isOpening = false;
  #restTimer = 0;
  /** The files' own columns that are shown. @type {string[]} */
  #own = [];
  /** The names of the files. Folders are left out if the names still differ then. @type {string[]} */
  #files = [];

  /**
   * @param {RowPages} pages
   * @param {Listeners} listeners
   */
  constructor(pages, listeners) {
    this.pages = pages;
    this.listeners = listeners;
    this.heads = COLUMNS.map(({ name, title, by }) => {
      const label = by ? element("button", { type: "button", "data-sort": by, onclick: () => listeners.sort(by) }, title) : title;
      return element("div", { role: "columnheader", class: `cell ${name}` }, label);
    });
    this.headRow = /** @type {Element} */ (elementById("collection-heads").firstElementChild);
    this.headRow.append(...this.heads);
    this.pane = elementById("collection-pane");
    this.scroller = elementById("collection-scroller");
    this.scroller.addEventListener("scroll", () => this.#scrolled());
    this.element = elementById("collection-table");
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.#measure()).observe(this.scroller);
  }

  /** @param {string[]} files */
  setFiles(files) {
    const short = files.map((name) => name.replace(/^.*[/\\]/, ""));
    this.#files = new Set(short).size === short.length ? short : files;
    this.element.dataset.files = files.length > 1 ? "several" : "one";
    this.draw();
  }

  /**
   * Appends the files' own columns.
   * @param {string[]} names
   */
  setOwn(names) {
    this.#own = names;
    this.headRow.replaceChildren(...this.heads, ...names.map((name) => element("div", { role: "columnheader", class: "cell own", title: name }, name)));
    this.element.style.setProperty("--own-count", String(names.length));
    this.element.dataset.own = String(names.length);
    this.pane.replaceChildren();
    this.#rows = [];
    this.draw();
  }

  /** @param {Sort} sort */
  setSort(sort) {
    const order = sort.descending ? "descending" : "ascending";
    COLUMNS.forEach(({ by }, index) => by && (this.heads[index].ariaSort = by === sort.by ? order : "none"));
  }

  /**
   * Sets the number of rows of the view.
   * @param {number} total
   */
  setTotal(total) {
    if (total === this.#space.rows) return;
    this.#space.rows = total;
    this.element.ariaRowCount = String(total + 1);
    if (this.#current >= total) this.#current = -1;
    this.#resize();
  }

  /** Scrolls to the first row. The current record stays the same, but its position is no longer known. */
  restart() {
    this.#current = -1;
    this.#isOpening = false;
    this.#space.move(0);
    this.#rest();
  }

  /**
   * Makes a row the current one, and shows it.
   * @param {number} position
   * @param {number | null} [record] if it is known
   */
  go(position, record = null) {
    if (this.#space.rows === 0) return;
    this.#isOpening = false;
    this.#current = Math.max(0, Math.min(position, this.#space.rows - 1));
    this.record = record;
    this.#space.show(this.#current);
    this.#rest();
  }

  /**
   * Sets the new position of the current record, without scrolling.
   * @param {number} position
   */
  place(position) {
    this.#current = position;
    this.draw();
  }

  /** Draws the visible rows in the next frame. */
  draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow();
    });
  }

  #measure() {
    const { scroller } = this;
    elementById("collection-heads").style.paddingRight = `${scroller.offsetWidth - scroller.clientWidth}px`;
    this.#space.viewHeight = scroller.clientHeight;
    this.#space.rowHeight = parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height")) || 28;
    this.pane.style.height = `${scroller.clientHeight}px`;
    if (scroller.clientHeight > 0) this.#resize();
  }

  #resize() {
    this.#space.move(this.#space.top);
    elementById("collection-spacer").style.height = `${this.#space.height}px`;
    this.#rest();
  }

  #scrolled() {
    this.#space.scrolled(this.scroller.scrollTop);
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#rest(), REST);
    this.#drawNow();
  }

  /** Corrects the scrollbar. */
  #rest() {
    const { resting } = this.#space;
    if (Math.abs(this.scroller.scrollTop - resting) >= 1) this.scroller.scrollTop = resting;
    this.#space.place = this.scroller.scrollTop;
    this.draw();
  }

  #drawNow() {
    const { top, rows, rowHeight, rowsInView } = this.#space;
    if (rowsInView === 0) {
      this.#isOpening = false;
      return;
    }
    const first = Math.floor(top);
    const last = Math.min(rows, Math.ceil(top + rowsInView)) - 1;
    this.pages.want(first, Math.max(first, last));
    this.#follow();
    if (this.#isOpening) this.#open();
    const slots = Math.ceil(rowsInView) + 1;
    while (this.#rows.length < slots) this.#addRow();
    let active = "";
    this.#rows.forEach((shown, slot) => {
      const position = first + ((slot - (first % slots) + slots) % slots);
      shown.hidden = slot >= slots || position > last;
      if (shown.hidden) return;
      shown.style.transform = `translateY(${Math.round((position - top) * rowHeight)}px)`;
      this.#fill(shown, position);
      if (position === this.#current) active = shown.id;
    });
    this.element.setAttribute("aria-activedescendant", active);
  }

  /** Finds the record of the current row, or the position of the current record, as soon as the data is there. */
  #follow() {
    const there = this.pages.at(this.#current);
    if (this.record !== null) {
      if (there?.row === this.record) return;
      this.#current = this.pages.find(this.record) ?? (there ? -1 : this.#current);
      if (there && this.#current < 0) this.listeners.losePosition();
    } else if (there) {
      this.record = there.row;
      this.listeners.move(there.row);
    }
  }

  #addRow() {
    const names = [...COLUMNS.map(({ name }) => name), ...this.#own.map(() => "own")];
    const cells = names.map((name) => element("div", { role: "gridcell", class: `cell ${name}` }));
    const onclick = () => {
      if (!getSelection()?.isCollapsed) return;
      this.go(Number(shown.ariaRowIndex) - 2);
      this.#open();
    };
    const shown = element("div", { role: "row", id: `collection-slot-${this.#rows.length}`, onclick }, ...cells);
    this.#rows.push(shown);
    this.pane.append(shown);
  }

  /**
   * Writes a row, or a placeholder until it arrives.
   * @param {HTMLElement} shown
   * @param {number} position
   */
  #fill(shown, position) {
    const row = this.pages.at(position);
    shown.ariaRowIndex = String(position + 2);
    shown.ariaSelected = String(position === this.#current);
    shown.ariaBusy = String(!row);
    shown.classList.toggle("odd", position % 2 === 1);
    shown.dataset.record = row ? String(row.row + 1) : "";
    shown.dataset.status = row?.status ?? "";
    shown.title = row?.fault ?? row?.puzzle ?? "";
    COLUMNS.forEach(({ text }, index) => setText(shown.children[index], row ? text(row, this.#files) : ""));
    this.#own.forEach((_, index) => {
      const [cell, text] = [shown.children[COLUMNS.length + index], row?.own[index] ?? ""];
      setText(cell, text);
      setAttributes(cell, { title: text || null });
    });
  }

  #open() {
    const row = this.pages.at(this.#current);
    this.#isOpening = !row && this.#current >= 0;
    if (row) this.listeners.open(row);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const isOfRows = event.target === this.element || event.target === this.scroller;
    if (event.ctrlKey || event.altKey || event.metaKey || !isOfRows) return;
    const { rows, rowsInView, top } = this.#space;
    const page = Math.max(1, Math.floor(rowsInView) - 1);
    const from = this.#current >= 0 ? this.#current : Math.ceil(top) - 1;
    /** @type {Record<string, number>} */
    const goals = { ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page, Home: 0, End: rows - 1 };
    if (event.key in goals) this.go(goals[event.key]);
    else if (event.key === "Enter") this.#open();
    else return;
    event.preventDefault();
  }
}
