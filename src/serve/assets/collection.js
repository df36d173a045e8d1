// @ts-check
// The view of the collection: a table of its records, pictures of them, and what chooses among them.

import { ask } from "./api.js";
import { element, setText } from "./elements.js";
import { Filters } from "./filters.js";
import { Head } from "./head.js";
import { Pictures } from "./pictures.js";
import { findPosition } from "./position.js";
import { Refresher } from "./refresher.js";
import { RowPages } from "./row_pages.js";
import { Table } from "./table.js";
import { fileOrder, nextSort, readView, withView } from "./view.js";
import { watch } from "./watch.js";
import { counted, number } from "./words.js";

/** @typedef {import("./row_pages.js").Row} Row */
/** @typedef {import("./row_pages.js").Answer} Answer */
/** @typedef {import("./view.js").Filter} Filter */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./watch.js").State} State */
/** @typedef {{ openGrid: (grid: object, origin: { file: string, number: number, row: number }) => void }} Page */

/** The times between two refreshes of rows and of pictures while the background is at work, in ms. */
const ROWS_PAUSE = 1000;
const PICTURES_PAUSE = 600;

/**
 * Fills an element with the view of the collection.
 * @param {HTMLElement} place
 * @param {Page} page
 */
export function mountCollection(place, page) {
  new Collection(place, page);
}

class Collection {
  /** @type {State | null} */
  #state = null;
  /** The rows of the view, as far as they are known. */
  #total = 0;
  /** The files' names, joined. */
  #names = "";
  /** The search for the position of a record that is under way. @type {AbortController | null} */
  #search = null;

  /**
   * @param {HTMLElement} place
   * @param {Page} page
   */
  constructor(place, page) {
    this.page = page;
    /** @type {View} */
    this.view = readView(location.hash);
    const fail = (/** @type {unknown} */ error) => this.#fail(error);
    this.pages = new RowPages((from, count, signal) => this.#rows(from, count, signal), (answer) => this.#loaded(answer), fail);
    this.table = new Table(this.pages, {
      open: (row) => void this.#open(row),
      sort: (by) => this.#change({ sort: nextSort(this.view.sort, by) }),
      move: (record) => this.#moved(record),
    });
    this.filters = new Filters((filter) => this.#change({ filter }));
    this.head = new Head((on) => void this.#rate(on), (form) => this.#download(form));
    this.picturesPlace = element("div", { id: "collection-pictures" });
    this.pictures = new Pictures(this.picturesPlace, (filter) => this.#change({ filter }));
    this.newRows = new Refresher(async () => this.pages.outdate(), ROWS_PAUSE, fail);
    this.newPictures = new Refresher((signal) => this.#drawPictures(signal), PICTURES_PAUSE, fail);
    this.message = element("p", { id: "collection-message", role: "alert", hidden: true });
    this.count = element("output", { id: "collection-count" });
    this.empty = element("p", { id: "collection-empty", hidden: true });
    place.classList.add("collection");
    place.replaceChildren(...this.#parts());
    this.#showView();
    this.news = watch(place, (state) => this.#hear(state), fail);
    addEventListener("hashchange", () => this.#readAddress());
    if (this.view.row !== null) void this.#find(this.view.row, false);
  }

  /** Returns what the view is made of. */
  #parts() {
    const isWide = matchMedia("(min-width: 64rem)").matches;
    const bar = element("div", { class: "collection-bar" }, this.count, this.#goToForm());
    const table = element("div", { class: "table-frame" }, this.table.element, this.empty);
    const toggled = () => this.newPictures.now();
    this.picturesBox = element("details", { open: isWide, ontoggle: toggled }, element("summary", {}, "Pictures"), this.picturesPlace);
    const form = element("details", { id: "collection-filters" }, element("summary", {}, "Filter"), this.filters.form);
    const side = element("div", { class: "collection-side" }, form, this.picturesBox);
    return [this.head.element, this.message, element("div", { class: "collection-main" }, this.filters.chips, bar, table), side];
  }

  #goToForm() {
    const input = element("input", { id: "collection-goto", type: "text", inputmode: "numeric", size: 9, autocomplete: "off" });
    const go = (/** @type {Event} */ event) => {
      event.preventDefault();
      const wanted = Number(input.value.replaceAll(/[\s,]/g, ""));
      const isThere = Number.isInteger(wanted) && wanted >= 1 && wanted <= (this.#state?.records ?? 0);
      input.setCustomValidity(isThere ? "" : `A number from 1 to ${number(this.#state?.records ?? 0)}`);
      if (input.reportValidity()) void this.#find(wanted - 1, true);
    };
    input.addEventListener("input", () => input.setCustomValidity(""));
    return element("form", { class: "goto", onsubmit: go }, element("label", {}, "Go to record ", input), element("button", {}, "Go"));
  }

  /**
   * @param {number} from
   * @param {number} count
   * @param {AbortSignal} signal
   * @returns {Promise<Answer>}
   */
  #rows(from, count, signal) {
    return ask("rows", { filter: this.view.filter, sort: this.view.sort, from, count }, signal);
  }

  /** @param {Answer} answer */
  #loaded(answer) {
    this.#setTotal(answer.total);
    delete this.count.dataset.pending;
    this.#say("");
    this.table.draw();
  }

  /**
   * Shows another view. The current record stays the current one, wherever it is.
   * @param {Partial<View>} changes
   */
  #change(changes) {
    this.view = { ...this.view, ...changes };
    this.count.dataset.pending = "true";
    this.pages.clear();
    this.table.restart();
    this.#showView();
    this.#writeAddress();
    const record = this.table.record;
    if (record !== null) void this.#find(record, false);
  }

  #showView() {
    const { filter, sort } = this.view;
    this.filters.setFilter(filter);
    this.pictures.setFilter(filter);
    this.table.setSort(sort);
    this.newPictures.now();
  }

  #readAddress() {
    const view = readView(location.hash);
    if (withView("", view) !== withView("", this.view)) {
      this.#change(view);
      if (view.row !== null) void this.#find(view.row, false);
    }
  }

  #writeAddress() {
    history.replaceState(history.state, "", `#${withView(location.hash, this.view)}`);
  }

  /** @param {number} record */
  #moved(record) {
    this.view.row = record;
    this.#writeAddress();
  }

  /** @param {State} state */
  #hear(state) {
    const isNews = state.revision !== this.#state?.revision;
    this.#state = state;
    this.#say(state.error ?? "");
    this.head.draw(state);
    const names = state.files.map((file) => file.name);
    if (names.join("\n") !== this.#names) {
      this.#names = names.join("\n");
      this.filters.setFiles(names);
      this.table.setFiles(names);
    }
    this.#setTotal(this.#hasFilter() ? this.#total : state.records);
    if (!isNews) return;
    this.newRows.soon();
    this.newPictures.soon();
  }

  #hasFilter() {
    return Object.keys(this.view.filter).length > 0;
  }

  /** @param {number} total */
  #setTotal(total) {
    this.#total = total;
    this.table.setTotal(total);
    const all = this.#state?.records ?? total;
    setText(this.count, this.#hasFilter() ? `${number(total)} of ${counted(all, "record")}` : counted(total, "record"));
    this.count.dataset.shown = String(total);
    this.empty.hidden = total > 0;
    setText(this.empty, this.#whyEmpty());
  }

  #whyEmpty() {
    if (!this.#state) return "";
    if (this.#state.files.length === 0) return "No files were named: gridmill serve FILE shows the records of a file here.";
    if (!this.#state.is_indexed) return "The files are being read.";
    return this.#state.records > 0 ? "No record passes the filter." : "The files hold no records.";
  }

  /** @param {AbortSignal} signal */
  async #drawPictures(signal) {
    if (!this.picturesBox?.open || this.picturesPlace.getClientRects().length === 0) return;
    const answer = await ask("pictures", { filter: this.view.filter }, signal);
    if (!signal.aborted) this.pictures.draw(answer.pictures);
  }

  /**
   * Makes a record the current one where it is in the view.
   * @param {number} record
   * @param {boolean} isAsked whether to say that it is not there
   */
  async #find(record, isAsked) {
    this.#search?.abort();
    const search = (this.#search = new AbortController());
    try {
      const position = await this.#positionOf(record, search.signal);
      if (search.signal.aborted) return;
      if (position !== null) this.table.go(position, record);
      else if (isAsked) this.#say(`Record ${number(record + 1)} does not pass the filter.`);
      if (position !== null && isAsked) this.#moved(record);
      if (position !== null && isAsked) this.table.element.focus({ preventScroll: true });
    } catch (error) {
      if (!search.signal.aborted) this.#fail(error);
    }
  }

  /**
   * @param {number} record
   * @param {AbortSignal} signal
   */
  async #positionOf(record, signal) {
    const { sort } = this.view;
    const rowAt = async (/** @type {number} */ position) => (await this.#rows(position, 1, signal)).rows[0];
    const first = await this.#rows(0, 1, signal);
    this.#setTotal(first.total);
    if (!this.#hasFilter() && sort.by === "row") return sort.descending ? first.total - 1 - record : record;
    const [row] = (await ask("rows", { filter: {}, sort: fileOrder(), from: record, count: 1 }, signal)).rows;
    return row ? findPosition(row, sort, first.total, rowAt) : null;
  }

  /** @param {Row} row */
  async #open(row) {
    try {
      const { grid, number } = await ask("record", { row: row.row });
      this.#say("");
      this.page.openGrid(grid, { file: this.#state?.files[row.file]?.name ?? "", number, row: row.row });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {boolean} on */
  async #rate(on) {
    try {
      await ask("rate", { on });
      this.news();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {HTMLFormElement} form */
  #download(form) {
    for (const part of /** @type {const} */ (["filter", "sort"])) {
      /** @type {HTMLInputElement} */ (form.elements.namedItem(part)).value = JSON.stringify(this.view[part]);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#say(error instanceof Error ? error.message : String(error));
  }

  /** @param {string} text */
  #say(text) {
    this.message.hidden = text === "";
    setText(this.message, text);
  }
}
