// @ts-check
// The view of the collection: a table of its records, pictures of them, and what chooses among them.

import { readView, withView } from "./address.js";
import { ask, isAbort } from "./api.js";
import { element, setText } from "./dom.js";
import { Filters } from "./filters.js";
import { Head } from "./head.js";
import { fail, note, recover } from "./message.js";
import { Pictures } from "./pictures.js";
import { RowPages } from "./row_pages.js";
import { Table } from "./table.js";
import { nextSort } from "./view.js";
import { Refresher, watch } from "./watch.js";
import { counted, number } from "./words.js";

/** @typedef {{ expect: () => AbortSignal, openGrid: (grid: object, origin: { file: string, number: number, row: number }) => void }} Page */
/** @typedef {"news" | "rows" | "pictures"} Work */

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
  /** @type {CollectionState | null} */
  #state = null;
  /** What failed, and has not worked since. @type {Set<Work>} */
  #failed = new Set();
  /** The search for the position of a record that is under way. */
  #search = new AbortController();
  /** The names of the files, joined. */
  #names = "";

  /**
   * @param {HTMLElement} place
   * @param {Page} page
   */
  constructor(place, page) {
    this.page = page;
    this.view = readView(location.hash);
    const load = (/** @type {number} */ from, /** @type {number} */ count, /** @type {AbortSignal} */ signal) => {
      const { filter, sort } = this.view;
      return ask("rows", { filter, sort, from, count }, signal);
    };
    this.pages = new RowPages(load, (answer) => this.#loaded(answer), (error) => this.#fail("rows", error));
    this.table = new Table(this.pages, {
      open: (row) => void this.#open(row),
      sort: (by) => this.#sort(by),
      move: (record) => this.#moved(record),
      lose: () => this.newPlace.soon(),
    });
    const choose = (/** @type {Filter} */ filter) => this.#change({ filter });
    this.filters = new Filters(choose);
    this.pictures = new Pictures(choose);
    this.head = new Head((on) => void this.#rate(on), () => this.view);
    this.newRows = new Refresher(async () => this.pages.outdate(), ROWS_PAUSE);
    this.newPlace = new Refresher((signal) => this.#findAgain(signal), ROWS_PAUSE);
    this.newPictures = new Refresher((signal) => this.#drawPictures(signal), PICTURES_PAUSE);
    this.count = element("output", { id: "collection-count" });
    this.empty = element("p", { id: "collection-empty", hidden: true });
    const isWide = matchMedia("(min-width: 64rem)").matches;
    this.box = element("details", { open: isWide, ontoggle: () => this.newPictures.now() }, element("summary", {}, "Pictures"), this.pictures.element);
    place.replaceChildren(...this.#parts());
    this.ask = watch(place, (state) => this.#hear(state), (error) => this.#fail("news", error));
    addEventListener("popstate", () => this.#readAddress());
    this.#show();
    if (this.view.record !== null) void this.#find(this.view.record, false);
  }

  #parts() {
    const form = element("details", { id: "collection-filters" }, element("summary", {}, "Filter"), this.filters.form);
    const line = element("div", { class: "collection-line" }, this.count, this.#goToForm());
    const frame = element("div", { class: "collection-frame" }, this.table.element, this.empty);
    return [this.head.element, element("div", { class: "collection-main" }, this.filters.chips, line, frame), element("div", {}, form, this.box)];
  }

  #goToForm() {
    const input = element("input", { id: "collection-goto", inputmode: "numeric", size: 9, autocomplete: "off", oninput: () => input.setCustomValidity("") });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const wanted = Number(input.value.replaceAll(",", ""));
      input.setCustomValidity(Number.isInteger(wanted) && wanted > 0 ? "" : "The number of a record, from 1");
      if (input.reportValidity()) void this.#find(wanted - 1, true);
    };
    return element("form", { onsubmit }, element("label", {}, "Go to record ", input), " ", element("button", {}, "Go"));
  }

  /** @param {Rows} answer */
  #loaded({ total }) {
    this.#worked("rows");
    delete this.count.dataset.pending;
    this.#setTotal(total);
    this.table.draw();
  }

  /**
   * Shows the beginning of another order. The current record stays so.
   * @param {SortKey} by
   */
  #sort(by) {
    this.#turnTo({ sort: nextSort(this.view.sort, by) });
    this.newPlace.now();
  }

  /**
   * Shows another view. The current record stays the current one, and is shown wherever it is.
   * @param {Partial<View>} changes
   */
  #change(changes) {
    this.#turnTo(changes);
    if (this.view.record !== null) void this.#find(this.view.record, false);
  }

  /** @param {Partial<View>} changes */
  #turnTo(changes) {
    this.view = { ...this.view, ...changes };
    this.pages.clear();
    this.table.restart();
    this.count.dataset.pending = "";
    this.#show();
    this.#writeAddress();
    this.#search.abort();
  }

  #show() {
    const { filter, sort } = this.view;
    this.filters.setFilter(filter);
    this.pictures.setFilter(filter);
    this.table.setSort(sort);
    this.newPictures.now();
  }

  #readAddress() {
    const view = readView(location.hash);
    if (withView("", view) !== withView("", this.view)) this.#change(view);
  }

  #writeAddress() {
    history.replaceState(history.state, "", `#${withView(location.hash, this.view)}`);
  }

  /** @param {number} record */
  #moved(record) {
    this.view.record = record;
    this.#writeAddress();
  }

  /** @param {CollectionState} state */
  #hear(state) {
    const isNews = state.revision !== this.#state?.revision || this.#failed.has("pictures");
    this.#state = state;
    // Nobody wants to hear of each step of the background.
    this.count.ariaLive = isNews ? "off" : "polite";
    this.#worked("news");
    if (state.error === null) recover("state");
    else fail(state.error, "state");
    this.head.draw(state);
    const names = state.files.map((file) => file.name);
    if (names.join("\n") !== this.#names) {
      this.#names = names.join("\n");
      this.filters.setFiles(names);
      this.table.setFiles(names);
    }
    this.#setTotal(this.#hasFilter() ? Number(this.count.dataset.shown ?? 0) : state.records);
    if (!isNews) return;
    this.newRows.soon();
    this.newPictures.soon();
  }

  #hasFilter() {
    return Object.keys(this.view.filter).length > 0;
  }

  /** @param {number} total */
  #setTotal(total) {
    this.table.setTotal(total);
    const all = counted(this.#state?.records ?? total, "record");
    setText(this.count, this.#hasFilter() ? `${number(total)} of ${all}` : all);
    this.count.dataset.shown = String(total);
    this.empty.hidden = total > 0;
    const isRead = this.#state?.is_indexed ?? false;
    setText(this.empty, !isRead ? "The files are being read." : this.#hasFilter() ? "No record passes the filter." : "There are no records.");
  }

  /** @param {AbortSignal} signal */
  async #drawPictures(signal) {
    if (!this.box.open || this.box.getClientRects().length === 0) return;
    try {
      const { pictures } = await ask("pictures", { filter: this.view.filter }, signal);
      if (signal.aborted) return;
      this.pictures.draw(pictures);
      this.#worked("pictures");
    } catch (error) {
      this.#fail("pictures", error);
    }
  }

  /**
   * Makes a record the current one where it is in the view.
   * @param {number} record
   * @param {boolean} isAsked whether somebody waits for it
   */
  async #find(record, isAsked) {
    this.#search.abort();
    const { signal } = (this.#search = new AbortController());
    try {
      const { filter, sort } = this.view;
      const { position, total } = await ask("position", { filter, sort, row: record }, signal);
      if (signal.aborted) return;
      if (position === null) {
        if (isAsked) note(`Record ${number(record + 1)} is not among the rows that are shown`);
        return;
      }
      this.#setTotal(total);
      this.table.go(position, record);
      if (!isAsked) return;
      this.#moved(record);
      this.table.element.focus({ preventScroll: true });
    } catch (error) {
      fail(error);
    }
  }

  /**
   * Looks for the current record, whose position changed with what became known.
   * @param {AbortSignal} signal
   */
  async #findAgain(signal) {
    const { view, table } = this;
    const { record } = table;
    if (record === null) return;
    try {
      const { filter, sort } = view;
      const { position } = await ask("position", { filter, sort, row: record }, signal);
      if (position !== null && view === this.view && record === table.record) table.place(position);
    } catch (error) {
      fail(error);
    }
  }

  /** @param {Row} row */
  async #open({ row, file }) {
    try {
      const { grid, number } = await ask("record", { row }, this.page.expect());
      this.page.openGrid(grid, { file: this.#state?.files[file]?.name ?? "", number, row });
    } catch (error) {
      fail(error);
    }
  }

  /** @param {boolean} on */
  async #rate(on) {
    try {
      await ask("rate", { on });
      await this.ask();
    } catch (error) {
      fail(error);
    }
  }

  /**
   * @param {Work} work
   * @param {unknown} error
   */
  #fail(work, error) {
    if (!isAbort(error)) this.#failed.add(work);
    fail(error, work);
  }

  /**
   * Takes the message of what failed away: it works again.
   * @param {Work} work
   */
  #worked(work) {
    if (this.#failed.delete(work)) recover(work);
  }
}
