// @ts-check
// The view of the collection: its filter, order and columns, what changes them, and the filter as a form and as chips.

import { ask } from "./api.js";
import { area, button, byId, duration, element, elementById, input, number, parseDuration, redraw, select, setText } from "./dom.js";
import { geometry } from "./grid.js";
import { lineOf } from "./symbols.js";

/**
 * @typedef {[number, number]} Bounds a range that includes both ends
 * @typedef {"clues" | "guesses" | "time_ns" | "er"} NumberField
 * @typedef {"status" | "symmetry"} NameField
 * @typedef {{shape: string, clues: number[], isomorphic: boolean}} FindPuzzle a puzzle to search for
 * @typedef {Partial<Record<NumberField, Bounds> & Record<NameField, string[]> & {file: number, find: string, puzzle: FindPuzzle}>} Filter
 * @typedef {"row" | "clues" | "status" | "guesses" | "time_ns" | "er"} SortKey
 * @typedef {{by: SortKey, descending: boolean}} Sort
 * @typedef {{filter: Filter, sort: Sort, columns: string[] | null, record: number | null}} View the records that are shown, their order, the
 *   files' own columns (null for the first ones), and the row of the current record
 */

/** @type {NumberField[]} */
export const NUMBER_FIELDS = ["clues", "guesses", "time_ns", "er"];
/** @type {SortKey[]} */
export const SORT_KEYS = ["row", "clues", "status", "guesses", "time_ns", "er"];

/** The fields whose values have names. @type {NameField[]} */
export const NAME_FIELDS = ["status", "symmetry"];

/** The titles of fields. */
export const TITLES = { clues: "Clues", guesses: "Guesses", time_ns: "Time", er: "Rating", status: "Status", symmetry: "Symmetry", file: "File", find: "Find", puzzle: "Puzzle" };

/** The upper end of a range without an upper bound. @type {Record<NumberField, number>} */
export const ENDLESS = { clues: 65535, guesses: 2 ** 53 - 1, time_ns: 2 ** 53 - 1, er: 99 };

/**
 * The order after a click on a header: ascending, then descending, then the order of the files.
 * @param {Sort} sort
 * @param {SortKey} by
 * @returns {Sort}
 */
export function nextSort(sort, by) {
  if (sort.by !== by) return { by, descending: false };
  return sort.descending ? { by: "row", descending: false } : { by, descending: true };
}

/**
 * Replaces the value of a field in a filter. An empty value removes the field.
 * @param {Filter} filter
 * @param {keyof Filter} field
 * @param {any} value
 * @returns {Filter}
 */
export function withField(filter, field, value) {
  const { [field]: _, ...rest } = filter;
  return value === undefined || value.length === 0 ? rest : { ...rest, [field]: value };
}

/**
 * The filter after a click on a bar. Names are added or removed. A range of numbers is selected or deselected; `extend` joins it
 * with the current one.
 * @param {Filter} filter
 * @param {DOMStringMap} bar
 * @param {boolean} extend
 */
export function withBar(filter, bar, extend) {
  if (bar.value !== undefined) {
    const field = /** @type {NameField} */ (bar.field);
    const names = filter[field] ?? [];
    return withField(filter, field, names.includes(bar.value) ? names.filter((name) => name !== bar.value) : [...names, bar.value]);
  }
  const field = /** @type {NumberField} */ (bar.field);
  const [least, most] = [Number(bar.least), Number(bar.most)];
  const chosen = filter[field];
  if (chosen && extend) return withField(filter, field, [Math.min(chosen[0], least), Math.max(chosen[1], most)]);
  return withField(filter, field, chosen?.[0] === least && chosen[1] === most ? undefined : [least, most]);
}

/**
 * Whether a filter contains the value of a bar.
 * @param {Filter} filter
 * @param {DOMStringMap} bar
 */
export function hasBar(filter, bar) {
  if (bar.value !== undefined) return filter[/** @type {NameField} */ (bar.field)]?.includes(bar.value) ?? false;
  const bounds = filter[/** @type {NumberField} */ (bar.field)];
  return bounds !== undefined && bounds[0] <= Number(bar.least) && Number(bar.most) <= bounds[1];
}

/**
 * A number of a field, as it is shown.
 * @param {NumberField} field
 * @param {number} value
 */
const written = (field, value) => (field === "time_ns" ? duration(value, 15) : field === "er" ? value.toFixed(1) : number(value));

/**
 * Reads a typed number; null if it is invalid.
 * @param {NumberField} field
 * @param {string} text
 */
function parse(field, text) {
  const value = field === "time_ns" ? parseDuration(text) : Number(text.replaceAll(",", ""));
  const isRight = value !== null && value >= 0 && value <= ENDLESS[field] && (field === "er" || Number.isInteger(value));
  return isRight ? value : null;
}

/** @param {FindPuzzle} puzzle */
const puzzleLine = ({ shape, clues }) => lineOf(clues, geometry(shape).side, "1-9A-G");

/**
 * A part of a filter in words, e.g. "2 to 5".
 * @param {Filter} filter
 * @param {keyof Filter} field
 * @param {string[]} files
 */
function inWords(filter, field, files) {
  if (field === "find") return `“${filter.find}”`;
  if (field === "puzzle") return filter.puzzle && `${filter.puzzle.isomorphic ? "isomorphs of " : ""}${puzzleLine(filter.puzzle)}`;
  if (field === "file") return files[filter.file ?? 0] ?? "?";
  if (field === "status" || field === "symmetry") return filter[field]?.join(" or ");
  const [least, most] = filter[field] ?? [0, 0];
  const [from, to] = [written(field, least), written(field, most)];
  if (least === most) return from;
  return most === ENDLESS[field] ? `from ${from}` : `${least > 0 ? `${from} ` : ""}to ${to}`;
}

/** The number of the files' own columns that are shown by default. */
const USUAL_COLUMNS = 3;

/** The choice among the files' own columns. */
export class ColumnChoice {
  /** @param {(columns: string[]) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.list = elementById("collection-columns-list");
    this.list.addEventListener("change", () => {
      const chosen = /** @type {HTMLInputElement[]} */ ([...this.list.querySelectorAll("input:checked")]);
      this.choose(chosen.map(({ value }) => value));
    });
  }

  /**
   * Shows the existing columns, and returns those to display.
   * @param {string[]} names
   * @param {string[] | null} chosen
   */
  draw(names, chosen) {
    const shown = chosen?.filter((name) => names.includes(name)) ?? names.slice(0, USUAL_COLUMNS);
    elementById("collection-columns").hidden = names.length === 0;
    elementById("collection-with-own").closest("label")?.toggleAttribute("hidden", names.length === 0);
    const field = (/** @type {string} */ name) => element("label", {}, element("input", { type: "checkbox", "data-column": name, value: name }), ` ${name}`);
    redraw(this.list, ...names.map(field));
    this.list.querySelectorAll("input").forEach((field) => (field.checked = shown.includes(field.value)));
    return shown;
  }
}

export class Filters {
  /** @type {Filter} */
  #filter = {};
  /** @type {string[]} */
  #files = [];

  /** @param {(filter: Filter) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.chips = elementById("collection-chips");
    this.find = area("collection-find");
    this.file = select("collection-file");
    this.form = byId("collection-form", HTMLFormElement);
    this.form.addEventListener("change", ({ target }) => this.#take(/** @type {HTMLInputElement} */ (target).name));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    const form = byId("collection-find-form", HTMLFormElement);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#find(this.find.value.trim());
    });
    this.find.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      form.requestSubmit();
    });
    button("collection-search-stop").addEventListener("click", () => this.#find(""));
  }

  /**
   * Searches for a text; an empty one removes the search. If the text can be read as a puzzle, the search is for that puzzle.
   * @param {string} text
   */
  async #find(text) {
    const { find, puzzle, ...rest } = this.#filter;
    if (text === "") return this.choose(rest);
    // Shorter texts are no puzzles, because the smallest grids have 16 cells.
    const read = text.length < 16 ? null : await ask("read", { text }).catch(() => null);
    const isomorphic = input("collection-isomorph").checked;
    this.choose(read ? { ...rest, puzzle: { shape: read.grid.shape, clues: read.grid.clues, isomorphic } } : { ...rest, find: text });
  }

  /**
   * Shows the progress of a search.
   * @param {number} open the records that have not been searched yet
   * @param {number} all
   */
  showSearch(open, all) {
    const isSearching = open > 0 && (this.#filter.find !== undefined || this.#filter.puzzle !== undefined);
    elementById("collection-searching").hidden = !isSearching;
    if (isSearching) setText(elementById("collection-searched"), `${number(Math.max(0, all - open))} of ${number(all)} searched`);
  }

  /** The inputs of a field of the form. @param {string} field */
  #inputs(field) {
    return /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll(`input[name=${field}]`)]);
  }

  /** Takes a field of the form over into the filter. @param {string} name */
  #take(name) {
    const field = NUMBER_FIELDS.find((known) => known === name);
    if (field) return this.#chooseBounds(field);
    const values = new FormData(this.form).getAll(name).filter(Boolean);
    this.choose(withField(this.#filter, /** @type {keyof Filter} */ (name), name === "file" ? values.map(Number)[0] : values));
  }

  /** @param {NumberField} field */
  #chooseBounds(field) {
    const inputs = this.#inputs(field);
    const [least, most] = inputs.map((input) => (input.value.trim() === "" ? undefined : parse(field, input.value)));
    const wrong = field === "time_ns" ? "Enter a time such as 300 µs or 2 ms" : "Enter a number from 0";
    inputs[0].setCustomValidity(least === null ? wrong : "");
    inputs[1].setCustomValidity(most === null ? wrong : (most ?? Infinity) < (least ?? 0) ? `Enter at least ${inputs[0].value}` : "");
    if (!inputs.every((input) => input.reportValidity())) return;
    const isOpen = least === undefined && most === undefined;
    this.choose(withField(this.#filter, field, isOpen ? undefined : [least ?? 0, most ?? ENDLESS[field]]));
  }

  /** @param {string[]} files */
  setFiles(files) {
    this.#files = files;
    this.file.replaceChildren(new Option("all files", ""), ...files.map((name, index) => new Option(name, String(index))));
    elementById("collection-file-field").hidden = files.length < 2;
    this.setFilter(this.#filter);
  }

  /**
   * Shows a filter in the form and as chips.
   * @param {Filter} filter
   */
  setFilter(filter) {
    this.#filter = filter;
    for (const field of NUMBER_FIELDS) {
      this.#inputs(field).forEach((input, index) => {
        const bound = filter[field]?.[index] ?? ENDLESS[field];
        input.value = bound === ENDLESS[field] ? "" : written(field, bound);
        input.setCustomValidity("");
      });
    }
    for (const field of NAME_FIELDS) for (const choice of this.#inputs(field)) choice.checked = filter[field]?.includes(choice.value) ?? false;
    this.file.value = String(filter.file ?? "");
    if (filter.puzzle) input("collection-isomorph").checked = filter.puzzle.isomorphic;
    // The text of a puzzle stays as it was typed, e.g. in several rows.
    this.find.value = filter.find ?? (filter.puzzle ? this.find.value || puzzleLine(filter.puzzle) : "");
    this.showSearch(0, 0);
    this.#drawChips();
  }

  #drawChips() {
    const hadFocus = this.chips.contains(document.activeElement);
    const fields = /** @type {(keyof Filter)[]} */ (Object.keys(this.#filter));
    const chips = fields.map((field) => {
      const words = `${TITLES[field]}: ${inWords(this.#filter, field, this.#files)}`;
      const onclick = () => this.choose(withField(this.#filter, field, undefined));
      return element("button", { type: "button", class: "chip", "data-field": field, "aria-label": `Remove ${words}`, onclick }, `${words} ✕`);
    });
    if (chips.length > 1) chips.push(element("button", { type: "button", id: "collection-clear", onclick: () => this.choose({}) }, "Clear all"));
    this.chips.replaceChildren(...chips);
    if (hadFocus) (chips[0] ?? document.getElementById("collection-table"))?.focus();
  }
}
