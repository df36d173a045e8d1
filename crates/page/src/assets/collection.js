// @ts-check
// The view of the collection: the table of its records, the pictures, the filters, the files, and the progress of the background
// work.

import { readView, withView } from "./address.js";
import { ask } from "./api.js";
import { button, byId, counted, elementById, input, number, onClicks, setAttributes, setText } from "./dom.js";
import { Files, firstRow, movedRow } from "./files.js";
import { clearErrorOf, hasFailed, note, showError } from "./message.js";
import { record } from "./origin.js";
import { Pictures } from "./pictures.js";
import { RowPages, Table } from "./table.js";
import { ColumnChoice, Filters, nextSort, withField } from "./view.js";
import { Latest } from "./work.js";

/**
 * @typedef {import("./files.js").FileState} FileState
 * @typedef {import("./files.js").CollectionState} CollectionState
 * @typedef {import("./table.js").Rows} Rows
 * @typedef {import("./view.js").Filter} Filter
 * @typedef {import("./view.js").SortKey} SortKey
 * @typedef {import("./view.js").View} View
 */
/**
 * @typedef {object} Tabs
 * @property {(found: { grid: import("./grid.js").Grid, origin: import("./page.js").Origin }) => void} openGrid
 * @property {(name: string, hasFiles: boolean) => void} rename is called with the name of the collection
 * @property {() => void} show shows the collection
 */

/** The pauses between two refreshes of the rows and of the pictures during background work, in ms. */
const ROWS_PAUSE = 1000;
const PICTURES_PAUSE = 600;
/** The pause between two questions for the state while it changes, and while it does not, in ms. */
const SOON = 300;
const LATE = 3000;

export class Collection {
  /** @type {CollectionState | null} */
  #state = null;
  /** The search for the position of a record. */
  #search = new Latest();
  /** The names of the files, joined, to notice a change. @type {string | null} */
  #names = null;
  /** The files' own columns that are shown. @type {string[]} */
  #columns = [];
  /** The ids of opened files that have not been shown yet. @type {number[]} */
  #opened = [];

  /**
   * @param {import("./page.js").Page} page
   * @param {Tabs} tabs
   */
  constructor(page, tabs) {
    this.page = page;
    this.tabs = tabs;
    this.view = readView(location.hash);
    const load = (/** @type {number} */ from, /** @type {number} */ count, /** @type {AbortSignal} */ signal) => this.#askView("rows", { from, count, columns: this.#columns }, signal);
    this.pages = new RowPages({ load, loaded: (answer) => this.#loaded(answer), failed: (error) => showError(error, "rows") });
    this.table = new Table(this.pages, {
      open: ({ row }) => void this.#open(row),
      sort: (by) => this.#sort(by),
      move: (record) => this.#moved(record),
      losePosition: () => this.newPlace.soon(),
    });
    const choose = (/** @type {Filter} */ filter) => this.#change({ filter });
    this.filters = new Filters(choose);
    this.columnChoice = new ColumnChoice((columns) => {
      this.view.columns = columns;
      this.#writeAddress();
      this.#showColumns();
    });
    this.pictures = new Pictures(choose);
    this.files = new Files({ news: () => this.news.now(), opened: (ids) => this.#showOpened(ids) });
    this.newRows = new Refresher("", async () => this.pages.outdate(), ROWS_PAUSE);
    this.newPlace = new Refresher("", (signal) => this.#findAgain(signal), ROWS_PAUSE);
    this.newPictures = new Refresher("pictures", (signal) => this.#drawPictures(signal), PICTURES_PAUSE);
    this.news = new Refresher("news", (signal) => this.#ask(signal), SOON);
    this.count = elementById("collection-count");
    this.box = byId("collection-box", HTMLDetailsElement);
    this.box.open = matchMedia("(min-width: 80rem)").matches;
    this.box.addEventListener("toggle", () => this.newPictures.now());
    onClicks({ "collection-rate": () => ask("rate", { on: !this.#state?.is_rating }).then(() => this.news.now(), showError) });
    elementById("collection-goto-form").addEventListener("submit", (event) => this.#goTo(event));
    input("collection-goto").addEventListener("input", () => input("collection-goto").setCustomValidity(""));
    // The browser sends this form, and opens the answer in another window, which shows the message if the request is refused.
    elementById("collection-export").addEventListener("submit", () => {
      input("collection-export-filter").value = JSON.stringify(this.view.filter);
      input("collection-export-sort").value = JSON.stringify(this.view.sort);
    });
    document.addEventListener("visibilitychange", () => this.news.now());
    new ResizeObserver(() => this.news.now()).observe(elementById("collection"));
    addEventListener("popstate", () => {
      const view = readView(location.hash);
      if (withView("", view) !== withView("", this.view)) this.#change(view);
    });
    this.#show();
    this.#findCurrent();
  }

  /**
   * Asks a question about the rows of the view.
   * @param {string} name
   * @param {object} question
   * @param {AbortSignal} signal
   */
  #askView(name, question, signal) {
    const { filter, sort } = this.view;
    return ask(name, { filter, sort, ...question }, signal);
  }

  /** @param {Event} event */
  #goTo(event) {
    event.preventDefault();
    const field = input("collection-goto");
    const wanted = Number(field.value.replaceAll(",", ""));
    field.setCustomValidity(Number.isInteger(wanted) && wanted > 0 ? "" : "Enter the number of a record, from 1");
    if (field.reportValidity()) void this.#find(wanted - 1, true).catch(showError);
  }

  /** @param {Rows} answer */
  #loaded({ total, unsearched }) {
    clearErrorOf("rows");
    delete this.count.dataset.pending;
    this.#setTotal(total);
    this.count.dataset.unsearched = String(unsearched);
    this.filters.showSearch(unsearched, this.#state?.records ?? total);
    this.table.draw();
  }

  /**
   * Sorts the rows in another way, and shows the first ones. The current record stays the same.
   * @param {SortKey} by
   */
  #sort(by) {
    this.#turnTo({ sort: nextSort(this.view.sort, by) });
    this.newPlace.now();
  }

  /**
   * Changes the view. The current record stays the same, and the table moves to its new position.
   * @param {Partial<View>} changes
   */
  #change(changes) {
    this.#turnTo(changes);
    this.#findCurrent();
  }

  /** Moves the table to the current record. */
  #findCurrent() {
    if (this.view.record !== null) void this.#find(this.view.record, false).catch(showError);
  }

  /** @param {Partial<View>} changes */
  #turnTo(changes) {
    this.view = { ...this.view, ...changes };
    this.pages.clear();
    this.table.restart();
    this.count.dataset.pending = "";
    this.#show();
    this.#writeAddress();
    this.#search.stop();
  }

  #show() {
    const { filter, sort } = this.view;
    this.filters.setFilter(filter);
    this.pictures.setFilter(filter);
    this.table.setSort(sort);
    this.#showColumns();
    this.newPictures.now();
  }

  /** Shows the chosen ones of the files' own columns. */
  #showColumns() {
    const columns = this.columnChoice.draw(this.#state?.columns ?? [], this.view.columns);
    if (columns.join("\n") === this.#columns.join("\n")) return;
    this.#columns = columns;
    this.pages.clear();
    this.table.setOwn(columns);
  }

  #writeAddress() {
    history.replaceState(history.state, "", `#${withView(location.hash, this.view)}`);
  }

  /** @param {number} record */
  #moved(record) {
    this.view.record = record;
    this.#writeAddress();
  }

  /** Asks for the state again and again while the collection is visible. @param {AbortSignal} signal */
  async #ask(signal) {
    if (document.hidden || elementById("collection").getClientRects().length === 0) return;
    this.news.pause = LATE;
    this.news.soon();
    /** @type {CollectionState} */
    const state = await ask("collection", {}, signal);
    if (state.revision !== this.#state?.revision || !state.is_indexed || state.is_rating) this.news.pause = SOON;
    this.#hear(state);
  }

  /** @param {CollectionState} state */
  #hear(state) {
    const isNews = state.revision !== this.#state?.revision || hasFailed("pictures");
    const before = this.#state?.files ?? state.files;
    this.#state = state;
    if (isNews) this.#follow(before);
    // Screen readers should not read out every step of the background work.
    this.count.ariaLive = isNews ? "off" : "polite";
    if (state.error === null) clearErrorOf("state");
    else showError(state.error, "state");
    this.files.draw(state);
    this.#showColumns();
    drawProgress(state);
    const names = state.files.map((file) => file.name);
    if (names.join("\n") !== this.#names) {
      this.#names = names.join("\n");
      this.filters.setFiles(names);
      this.table.setFiles(names);
      this.tabs.rename(names.length === 1 ? names[0] : names.length > 1 ? counted(names.length, "file") : "Collection", names.length > 0);
    }
    if (state.is_indexed && this.#opened.length > 0) this.#openSingle();
    this.#setTotal(this.#areAllGone ? 0 : this.#hasFilter ? Number(this.count.dataset.shown ?? 0) : state.records);
    // Without this, the figures of unreadable records would stay.
    if (this.#areAllGone) this.pictures.draw([]);
    // Without readable records, there is nothing to ask until a file is read again.
    if (!isNews || this.#areAllGone) return;
    this.newRows.soon();
    this.newPictures.soon();
  }

  /**
   * Keeps the current record and the file of the filter, after files have been added, removed or extended.
   * @param {FileState[]} before
   */
  #follow(before) {
    const files = this.#state?.files ?? [];
    const moved = (/** @type {number} */ row) => movedRow(row, before, files);
    const { record, filter } = this.view;
    const own = record === null ? null : moved(record);
    const isSame = before.every(({ id }, place) => id === files[place]?.id);
    if (own !== record || !isSame) {
      this.pages.clear();
      this.table.record = this.view.record = own;
      this.#writeAddress();
    }
    const { origin } = this.page;
    const row = origin && moved(origin.row);
    if (origin && row !== origin.row) this.page.setOrigin(row === null ? null : { ...origin, row });
    const place = files.findIndex(({ id }) => id === before[filter.file ?? 0]?.id);
    const isReloaded = place < 0 && files.length === before.length;
    if (filter.file === undefined || place === filter.file || isReloaded) return;
    this.#change({ filter: withField(filter, "file", place < 0 ? undefined : place) });
  }

  /** @param {number[]} ids */
  #showOpened(ids) {
    this.#opened = ids;
    this.tabs.show();
    this.news.now();
  }

  /** Opens a puzzle in the grid, if it is the only one of a single opened file. */
  #openSingle() {
    const files = this.#state?.files ?? [];
    const file = files.findIndex(({ id }) => id === this.#opened[0]);
    const isSingle = this.#opened.length === 1 && files[file]?.records === 1 && files[file].error === null;
    this.#opened = [];
    if (isSingle) void this.#open(firstRow(files, file));
  }

  get #hasFilter() {
    return Object.keys(this.view.filter).length > 0;
  }

  /** Whether there are files, but none of them can be read. */
  get #areAllGone() {
    const files = this.#state?.files ?? [];
    return files.length > 0 && files.every((file) => file.error !== null);
  }

  /** @param {number} total */
  #setTotal(total) {
    this.table.setTotal(total);
    this.count.dataset.shown = String(total);
    const all = counted(this.#state?.records ?? total, "record");
    setText(this.count, this.#areAllGone ? "The records can no longer be read" : this.#hasFilter ? `${number(total)} of ${all}` : all);
    elementById("collection-empty").hidden = total > 0;
    setText(elementById("collection-empty"), this.#reason);
  }

  /** The reason why there are no rows. */
  get #reason() {
    if (this.#areAllGone) return "See above for what happened to the files.";
    if (!this.#state?.is_indexed) return "The files are being read.";
    if (!this.#state.files.length) return "Drop files of puzzles here, or press Open…";
    return this.#hasFilter ? "No record matches the filter." : "There are no records.";
  }

  /** @param {AbortSignal} signal */
  async #drawPictures(signal) {
    if (!this.box.open || this.box.getClientRects().length === 0) return;
    const { pictures } = await ask("pictures", { filter: this.view.filter }, signal);
    this.pictures.draw(pictures);
  }

  /**
   * Makes a record the current one, if the view contains it.
   * @param {number} record
   * @param {boolean} isAsked whether the user asked for it
   */
  async #find(record, isAsked) {
    const { position, total } = await this.#askView("position", { row: record }, this.#search.begin());
    if (position !== null) {
      this.#setTotal(total);
      this.table.go(position, record);
    } else if (isAsked) note(`Record ${number(record + 1)} is not in the table; change the filter to see it`);
    if (position === null || !isAsked) return;
    this.#moved(record);
    this.table.element.focus({ preventScroll: true });
  }

  /**
   * Looks for the current record again, because new results may have moved it.
   * @param {AbortSignal} signal
   */
  async #findAgain(signal) {
    const { view, table } = this;
    const { record } = table;
    if (record === null) return;
    const { position } = await this.#askView("position", { row: record }, signal);
    if (position !== null && view === this.view && record === table.record) table.place(position);
  }

  /** @param {number} row */
  async #open(row) {
    await record(row, this.page.gridRequest.begin()).then(this.tabs.openGrid, showError);
  }
}

/** @param {CollectionState} state */
function drawProgress({ is_indexed, solved, records, rated, is_rating }) {
  const phase = !is_indexed ? "reading" : solved < records ? "solving" : is_rating ? "rating" : "idle";
  const [ratings, solutions] = [`${number(rated)} rated`, `${number(solved)} of ${number(records)} solved`];
  const words = { reading: `${number(records)} read`, solving: solutions, rating: ratings, idle: rated > 0 ? ratings : "" };
  elementById("collection-progress").dataset.phase = phase;
  const bar = byId("collection-bar", HTMLProgressElement);
  bar.hidden = phase === "rating" || phase === "idle";
  bar.max = records;
  if (phase === "reading") bar.removeAttribute("value");
  else bar.value = solved;
  setText(elementById("collection-words"), words[phase]);
  setAttributes(button("collection-rate"), { "data-rating": String(is_rating) });
  setText(button("collection-rate"), is_rating ? "Stop rating" : "Rate all");
}

/** After a refresh, the next one waits at least this many times as long as it took. Slow refreshes therefore become rare. */
const REST = 10;

class Refresher {
  /** @type {AbortController | null} */
  #running = null;
  #isWanted = false;
  #timer = 0;
  #notBefore = 0;

  /**
   * @param {string} name of the work, for its errors
   * @param {(signal: AbortSignal) => Promise<void>} work
   * @param {number} pause the least time between an end and the next beginning, in ms
   */
  constructor(name, work, pause) {
    this.name = name;
    this.work = work;
    this.pause = pause;
  }

  /** Begins at once. Running work is aborted, because it is outdated. */
  now() {
    this.#running?.abort();
    this.#running = null;
    this.#notBefore = 0;
    this.soon();
  }

  /** Begins after the running work and the pause. */
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
    await this.work(running.signal).then(() => clearErrorOf(this.name), (error) => showError(error, this.name));
    if (this.#running !== running) return;
    this.#running = null;
    this.#notBefore = Date.now() + Math.max(this.pause, REST * (Date.now() - begun));
    if (this.#isWanted) this.soon();
  }
}
