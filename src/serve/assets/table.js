// @ts-check
// The table of records: only the rows that are seen are in the document.

import { element, setText } from "./elements.js";
import { ScrollSpace } from "./scroll_space.js";
import { duration, number } from "./words.js";

/** @typedef {import("./row_pages.js").Row} Row */
/** @typedef {import("./row_pages.js").RowPages} RowPages */
/** @typedef {import("./view.js").Sort} Sort */
/** @typedef {import("./view.js").SortKey} SortKey */
/** @typedef {{ name: string, title: string, by?: SortKey, text: (row: Row) => string }} Column */

/** The time after the last movement until the scrollbar is set to where it belongs, in ms. */
const REST = 150;

/** @type {Column[]} */
const COLUMNS = [
  { name: "record", title: "#", by: "row", text: (row) => number(row.row + 1) },
  { name: "file", title: "File", text: () => "" },
  { name: "puzzle", title: "Puzzle", text: (row) => row.puzzle ?? row.fault ?? "" },
  { name: "clues", title: "Clues", by: "clues", text: (row) => row.clues?.toString() ?? "" },
  { name: "status", title: "Status", by: "status", text: (row) => row.status ?? "…" },
  { name: "guesses", title: "Guesses", by: "guesses", text: (row) => (row.guesses === null ? "" : number(row.guesses)) },
  { name: "time", title: "Time", by: "time_ns", text: (row) => (row.time_ns === null ? "" : duration(row.time_ns)) },
  { name: "er", title: "Rating", by: "er", text: (row) => row.er?.toFixed(1) ?? "" },
  { name: "symmetry", title: "Symmetry", text: (row) => row.symmetries?.filter((name) => name !== "none").join(", ") ?? "" },
];

export class Table {
  #space = new ScrollSpace();
  /** The position of the current row, and its record; -1 and null where there is none. The record is null until it is there. */
  #current = -1;
  /** @type {number | null} */
  #record = null;
  /** @type {HTMLElement[]} */
  #rows = [];
  #isDrawing = false;
  #restTimer = 0;
  /** The names of the files. @type {string[]} */
  #files = [];

  /**
   * @param {RowPages} pages
   * @param {{ open: (row: Row) => void, sort: (by: SortKey) => void, move: (record: number) => void }} told
   */
  constructor(pages, told) {
    this.pages = pages;
    this.told = told;
    this.heads = COLUMNS.map((column) => this.#makeHead(column));
    const headRow = element("div", { role: "row", class: "row", "aria-rowindex": 1 }, ...this.heads);
    this.headGroup = element("div", { role: "rowgroup", class: "heads" }, headRow);
    this.pane = element("div", { class: "pane", role: "presentation" });
    this.spacer = element("div", { class: "spacer", role: "presentation" }, this.pane);
    this.scroller = element("div", { id: "collection-scroller", role: "rowgroup", tabindex: -1, onscroll: () => this.#scrolled() }, this.spacer);
    this.element = element(
      "div",
      {
        id: "collection-table", role: "grid", tabindex: 0, "aria-label": "Records", "aria-colcount": COLUMNS.length, "aria-rowcount": -1,
        "data-files": "one", onkeydown: (/** @type {KeyboardEvent} */ event) => this.#pressed(event),
      },
      this.headGroup,
      this.scroller,
    );
    new ResizeObserver(() => this.#measure()).observe(this.scroller);
  }

  /** @param {Column} column */
  #makeHead({ name, title, by }) {
    const label = by ? element("button", { type: "button", "data-sort": by, onclick: () => this.told.sort(by) }, title) : title;
    return element("div", { role: "columnheader", class: `cell ${name}` }, label);
  }

  /** The record of the current row, null where there is none. */
  get record() {
    return this.#record;
  }

  /**
   * @param {string[]} files
   */
  setFiles(files) {
    this.#files = files;
    this.element.dataset.files = files.length > 1 ? "several" : "one";
    this.draw();
  }

  /** @param {Sort} sort */
  setSort(sort) {
    COLUMNS.forEach((column, index) => {
      if (!column.by) return;
      const order = column.by !== sort.by ? "none" : sort.descending ? "descending" : "ascending";
      this.heads[index].setAttribute("aria-sort", order);
    });
  }

  /**
   * Says how many rows the view has.
   * @param {number} total
   */
  setTotal(total) {
    if (total === this.#space.rows) return;
    this.#space.rows = total;
    if (this.#current >= total) this.#current = -1;
    this.#space.clamp();
    this.spacer.style.height = `${this.#space.height}px`;
    this.element.setAttribute("aria-rowcount", String(total + 1));
    this.#rest();
    this.draw();
  }

  /** Goes to the first row; no row is the current one until its position is known. */
  restart() {
    this.#current = -1;
    this.#space.top = 0;
    this.#rest();
    this.draw();
  }

  /** Forgets the current row. */
  leave() {
    this.#current = -1;
    this.#record = null;
    this.draw();
  }

  /**
   * Makes a row the current one, and shows it.
   * @param {number} position
   * @param {number | null} [record] where it is known
   */
  go(position, record = null) {
    if (this.#space.rows === 0) return;
    this.#current = Math.max(0, Math.min(position, this.#space.rows - 1));
    this.#record = record;
    this.#space.show(this.#current);
    this.#rest();
    this.draw();
  }

  /** Draws the rows that are seen at the next frame. */
  draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #measure() {
    const space = this.#space;
    const height = parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height"));
    const isOther = height > 0 && height !== space.rowHeight;
    space.viewHeight = this.scroller.clientHeight;
    this.headGroup.style.paddingRight = `${this.scroller.offsetWidth - this.scroller.clientWidth}px`;
    if (isOther) space.rowHeight = height;
    space.clamp();
    this.pane.style.height = `${space.viewHeight}px`;
    this.spacer.style.height = `${space.height}px`;
    if (isOther) this.#rest();
    this.draw();
  }

  #scrolled() {
    this.#space.scrolled(this.scroller.scrollTop);
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.#rest(), REST);
    this.#draw();
  }

  /** Sets the scrollbar to where it belongs. */
  #rest() {
    const place = this.#space.restingPlace;
    if (Math.abs(this.scroller.scrollTop - place) >= 1) this.scroller.scrollTop = place;
    this.#space.rested(this.scroller.scrollTop);
  }

  #draw() {
    const space = this.#space;
    if (space.viewHeight === 0) return;
    const first = Math.floor(space.top);
    const last = Math.min(space.rows, Math.ceil(space.top + space.rowsInView)) - 1;
    const slots = Math.ceil(space.rowsInView) + 1;
    while (this.#rows.length < slots) this.#addRow();
    while (this.#rows.length > slots) this.#rows.pop()?.remove();
    this.pages.want(first, Math.max(first, last));
    this.#follow();
    let active = "";
    for (let position = first; position < first + slots; position++) {
      const shown = this.#rows[position % slots];
      shown.hidden = position > last;
      if (shown.hidden) continue;
      shown.style.transform = `translateY(${Math.round((position - space.top) * space.rowHeight)}px)`;
      this.#fill(shown, position, this.pages.at(position));
      if (position === this.#current) active = shown.id;
    }
    if (active) this.element.setAttribute("aria-activedescendant", active);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** Finds the record of the current row, or the position of the current record, as soon as either is there. */
  #follow() {
    const there = this.#current >= 0 ? this.pages.at(this.#current) : undefined;
    if (this.#record === null) {
      if (!there) return;
      this.#record = there.row;
      this.told.move(there.row);
    } else if (there?.row !== this.#record) {
      this.#current = this.pages.find(this.#record) ?? this.#current;
    }
  }

  #addRow() {
    const cells = COLUMNS.map((column, index) => element("div", { role: "gridcell", class: `cell ${column.name}`, "aria-colindex": index + 1 }));
    const shown = element("div", { role: "row", class: "row", id: `collection-slot-${this.#rows.length}` }, ...cells);
    shown.addEventListener("click", () => this.#clicked(Number(shown.ariaRowIndex) - 2));
    this.#rows.push(shown);
    this.pane.append(shown);
  }

  /**
   * Writes a row: what is known of it, or a placeholder.
   * @param {HTMLElement} shown
   * @param {number} position
   * @param {Row | undefined} row
   */
  #fill(shown, position, row) {
    shown.ariaRowIndex = String(position + 2);
    shown.ariaSelected = String(position === this.#current);
    shown.ariaBusy = row ? null : "true";
    shown.classList.toggle("odd", position % 2 === 1);
    shown.dataset.record = row ? String(row.row + 1) : "";
    shown.dataset.status = row?.status ?? "";
    shown.title = row?.fault ?? "";
    COLUMNS.forEach((column, index) => setText(shown.children[index], row ? this.#text(column, row) : ""));
  }

  /**
   * @param {Column} column
   * @param {Row} row
   */
  #text(column, row) {
    return column.name === "file" ? (this.#files[row.file] ?? "") : column.text(row);
  }

  /** @param {number} position */
  #clicked(position) {
    if (!getSelection()?.isCollapsed) return;
    this.go(position);
    this.#open();
  }

  #open() {
    const row = this.pages.at(this.#current);
    if (row) this.told.open(row);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== this.element) return;
    const page = Math.max(1, Math.floor(this.#space.rowsInView) - 1);
    const from = this.#current >= 0 ? this.#current : Math.ceil(this.#space.top) - 1;
    const goals = /** @type {Record<string, number>} */ ({
      ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page, Home: 0, End: this.#space.rows - 1,
    });
    if (event.key in goals) this.go(goals[event.key]);
    else if (event.key === "Enter") this.#open();
    else if (event.key === "Escape") this.leave();
    else return;
    event.preventDefault();
  }
}
