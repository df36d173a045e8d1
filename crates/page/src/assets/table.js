// @ts-check
// The table of records: only the rows that are seen are in the document.

import { element, setText } from "./dom.js";
import { ScrollSpace } from "./scroll_space.js";
import { duration, number } from "./words.js";

/** @typedef {import("./row_pages.js").RowPages} RowPages */
/** @typedef {{ open: (row: Row) => void, sort: (by: SortKey) => void, move: (record: number) => void, lose: () => void }} Told */

/** The time after the last movement until the scrollbar is set to where it belongs, in ms. */
const REST = 150;

/** @type {{ name: string, title: string, by?: SortKey, text: (row: Row, files: string[]) => string }[]} */
const COLUMNS = [
  { name: "record", title: "#", by: "row", text: ({ row }) => number(row + 1) },
  { name: "file", title: "File", text: ({ file }, files) => files[file] ?? "" },
  { name: "puzzle", title: "Puzzle", text: ({ puzzle, fault }) => puzzle ?? fault ?? "" },
  { name: "clues", title: "Clues", by: "clues", text: ({ clues }) => String(clues ?? "") },
  { name: "status", title: "Status", by: "status", text: ({ status }) => status ?? "…" },
  { name: "guesses", title: "Guesses", by: "guesses", text: ({ guesses }) => (guesses === null ? "" : number(guesses)) },
  { name: "time", title: "Time", by: "time_ns", text: ({ time_ns }) => (time_ns === null ? "" : duration(time_ns)) },
  { name: "er", title: "Rating", by: "er", text: ({ er, rating_end }) => er?.toFixed(1) ?? rating_end ?? "" },
  { name: "symmetry", title: "Symmetry", text: ({ symmetries }) => symmetries?.join(", ") ?? "" },
];

export class Table {
  #space = new ScrollSpace();
  /** The position of the current row; -1 where there is none, or it is not known. */
  #current = -1;
  /** The row number of the current row; null where there is none, or it is not there yet. @type {number | null} */
  record = null;
  /** @type {HTMLElement[]} */
  #rows = [];
  #isDrawing = false;
  /** Whether the current row is to be opened when it comes. */
  #isOpening = false;
  #restTimer = 0;
  /** What the files are called here: without their folders, if that tells them apart. @type {string[]} */
  #files = [];

  /**
   * @param {RowPages} pages
   * @param {Told} told
   */
  constructor(pages, told) {
    this.pages = pages;
    this.told = told;
    this.heads = COLUMNS.map(({ name, title, by }) => {
      const label = by ? element("button", { type: "button", "data-sort": by, onclick: () => told.sort(by) }, title) : title;
      return element("div", { role: "columnheader", class: `cell ${name}` }, label);
    });
    this.headGroup = element("div", { role: "rowgroup", class: "heads" }, element("div", { role: "row", "aria-rowindex": 1 }, ...this.heads));
    this.pane = element("div", { class: "pane", role: "presentation" });
    this.spacer = element("div", { role: "presentation" }, this.pane);
    this.scroller = element("div", { id: "collection-scroller", role: "rowgroup", tabindex: -1, onscroll: () => this.#scrolled() }, this.spacer);
    const onkeydown = (/** @type {KeyboardEvent} */ event) => this.#pressed(event);
    const attributes = { id: "collection-table", role: "grid", tabindex: 0, "aria-label": "Records", "aria-rowcount": -1, onkeydown };
    this.element = element("div", attributes, this.headGroup, this.scroller);
    new ResizeObserver(() => this.#measure()).observe(this.scroller);
  }

  /** @param {string[]} files */
  setFiles(files) {
    const short = files.map((name) => name.replace(/^.*[/\\]/, ""));
    this.#files = new Set(short).size === short.length ? short : files;
    this.element.dataset.files = files.length > 1 ? "several" : "one";
    this.draw();
  }

  /** @param {Sort} sort */
  setSort(sort) {
    COLUMNS.forEach(({ by }, index) => {
      const order = sort.descending ? "descending" : "ascending";
      if (by) this.heads[index].ariaSort = by === sort.by ? order : "none";
    });
  }

  /**
   * Says how many rows the view has.
   * @param {number} total
   */
  setTotal(total) {
    if (total === this.#space.rows) return;
    this.#space.rows = total;
    this.element.ariaRowCount = String(total + 1);
    if (this.#current >= total) this.#current = -1;
    this.#resize();
  }

  /** Goes to the first row. The current record stays so, but its position is not known any more. */
  restart() {
    this.#current = -1;
    this.#isOpening = false;
    this.#space.move(0);
    this.#rest();
  }

  /**
   * Makes a row the current one, and shows it.
   * @param {number} position
   * @param {number | null} [record] where it is known
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
   * Says where the current record is now, without going there.
   * @param {number} position
   */
  place(position) {
    this.#current = position;
    this.draw();
  }

  /** Draws the rows that are seen, at the next frame. */
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
    this.headGroup.style.paddingRight = `${scroller.offsetWidth - scroller.clientWidth}px`;
    this.#space.viewHeight = scroller.clientHeight;
    this.#space.rowHeight = parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height")) || 28;
    this.pane.style.height = `${scroller.clientHeight}px`;
    if (scroller.clientHeight > 0) this.#resize();
  }

  #resize() {
    this.#space.move(this.#space.top);
    this.spacer.style.height = `${this.#space.height}px`;
    this.#rest();
  }

  #scrolled() {
    this.#space.scrolled(this.scroller.scrollTop);
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#rest(), REST);
    this.#drawNow();
  }

  /** Sets the scrollbar to where it belongs. */
  #rest() {
    const { resting } = this.#space;
    if (Math.abs(this.scroller.scrollTop - resting) >= 1) this.scroller.scrollTop = resting;
    this.#space.place = this.scroller.scrollTop;
    this.draw();
  }

  #drawNow() {
    const { top, rows, rowHeight, rowsInView } = this.#space;
    if (rowsInView === 0) this.#isOpening = false;
    if (rowsInView === 0) return;
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

  /** Finds the record of the current row, or the position of the current record, as soon as it is there. */
  #follow() {
    const there = this.pages.at(this.#current);
    if (this.record !== null) {
      if (there?.row === this.record) return;
      this.#current = this.pages.find(this.record) ?? (there ? -1 : this.#current);
      if (there && this.#current < 0) this.told.lose();
    } else if (there) {
      this.record = there.row;
      this.told.move(there.row);
    }
  }

  #addRow() {
    const cells = COLUMNS.map(({ name }) => element("div", { role: "gridcell", class: `cell ${name}` }));
    const shown = element("div", { role: "row", id: `collection-slot-${this.#rows.length}` }, ...cells);
    shown.addEventListener("click", () => this.#clicked(Number(shown.ariaRowIndex) - 2));
    this.#rows.push(shown);
    this.pane.append(shown);
  }

  /**
   * Writes a row: what is known of it, or a placeholder.
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
  }

  /** @param {number} position */
  #clicked(position) {
    if (!getSelection()?.isCollapsed) return;
    this.go(position);
    this.#open();
  }

  #open() {
    const row = this.pages.at(this.#current);
    this.#isOpening = !row && this.#current >= 0;
    if (row) this.told.open(row);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== this.element) return;
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
