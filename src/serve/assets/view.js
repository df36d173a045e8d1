// @ts-check
// A view of the collection: which records, in which order, and which of them is the current one. And its form in the address.

/** @typedef {[number, number]} Bounds both included */
/** @typedef {"clues" | "guesses" | "time_ns" | "er"} NumberField */
/** @typedef {"status" | "symmetry"} NameField */
/** @typedef {Partial<Record<NumberField, Bounds> & Record<NameField, string[]> & { file: number }>} Filter */
/** @typedef {"row" | "clues" | "status" | "guesses" | "time_ns" | "er"} SortKey */
/** @typedef {{ by: SortKey, descending: boolean }} Sort */
/** @typedef {{ filter: Filter, sort: Sort, row: number | null }} View */

/** @type {NumberField[]} */
export const NUMBER_FIELDS = ["clues", "guesses", "time_ns", "er"];
/** @type {NameField[]} */
export const NAME_FIELDS = ["status", "symmetry"];
/** @type {SortKey[]} */
const SORT_KEYS = ["row", "clues", "status", "guesses", "time_ns", "er"];

export const STATUSES = ["unique", "multiple", "none", "conflict", "malformed", "budget"];
export const SYMMETRIES = ["rotate180", "rotate90", "mirror", "diagonal", "none"];

/** What a field is called. */
export const TITLES = { clues: "Clues", guesses: "Guesses", time_ns: "Time", er: "Rating", status: "Status", symmetry: "Symmetry", file: "File" };

/** The greatest number of a range that has no upper end. @type {Record<NumberField, number>} */
export const ENDLESS = { clues: 65535, guesses: Number.MAX_SAFE_INTEGER, time_ns: Number.MAX_SAFE_INTEGER, er: 99 };

/** @returns {Sort} */
export function fileOrder() {
  return { by: "row", descending: false };
}

/**
 * Returns the order after a click on a header: ascending, then descending, then that of the files.
 * @param {Sort} sort
 * @param {SortKey} by
 * @returns {Sort}
 */
export function nextSort(sort, by) {
  if (sort.by !== by) return { by, descending: false };
  return sort.descending ? fileOrder() : { by, descending: true };
}

/**
 * Returns the filter after a click on a bar of numbers: these bounds alone, or none if they were chosen already. With `extend`
 * the range grows to hold them.
 * @param {Bounds | undefined} chosen
 * @param {Bounds} bar
 * @param {boolean} extend
 * @returns {Bounds | undefined}
 */
export function toggleBounds(chosen, bar, extend) {
  if (chosen && extend) return [Math.min(chosen[0], bar[0]), Math.max(chosen[1], bar[1])];
  return chosen && chosen[0] === bar[0] && chosen[1] === bar[1] ? undefined : bar;
}

/**
 * Returns the names with one more, or without it if it was there.
 * @param {string[] | undefined} chosen
 * @param {string} name
 * @returns {string[] | undefined}
 */
export function toggleName(chosen, name) {
  const rest = (chosen ?? []).filter((other) => other !== name);
  if (rest.length === (chosen ?? []).length) rest.push(name);
  return rest.length > 0 ? rest : undefined;
}

/**
 * Returns a filter with another value of a field. No value takes the field out.
 * @param {Filter} filter
 * @param {keyof Filter} field
 * @param {any} value
 * @returns {Filter}
 */
export function withField(filter, field, value) {
  const { [field]: _, ...rest } = filter;
  return value === undefined ? rest : { ...rest, [field]: value };
}

/** How the names of a view's parts begin in the address, so that they stand beside those of the grid. */
const PREFIX = "c.";

/**
 * Returns the fragment of an address with a view in place of the one that it may have. Ordinary values are left out.
 * @param {string} fragment
 * @param {View} view
 */
export function withView(fragment, { filter, sort, row }) {
  const parts = fragment.replace(/^#/, "").split("&").filter((part) => part !== "" && !part.startsWith(PREFIX));
  const add = (/** @type {string} */ name, /** @type {string | number} */ value) => parts.push(`${PREFIX}${name}=${value}`);
  for (const field of NUMBER_FIELDS) {
    const bounds = filter[field];
    if (bounds) add(field, `${bounds[0] || ""}..${bounds[1] === ENDLESS[field] ? "" : bounds[1]}`);
  }
  for (const field of NAME_FIELDS) if (filter[field]) add(field, filter[field].map(encodeURIComponent).join(","));
  if (filter.file !== undefined) add("file", filter.file + 1);
  if (sort.by !== "row" || sort.descending) add("sort", `${sort.by}${sort.descending ? ",descending" : ""}`);
  if (row !== null) add("record", row + 1);
  return parts.join("&");
}

/**
 * Reads the view in the fragment of an address. Parts that can't be read are left out.
 * @param {string} fragment
 * @returns {View}
 */
export function readView(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const value = (/** @type {string} */ name) => values.get(PREFIX + name) ?? "";
  /** @type {View} */
  const view = { filter: {}, sort: fileOrder(), row: readOrdinal(value("record")) };
  for (const field of NUMBER_FIELDS) view.filter = withField(view.filter, field, readBounds(field, value(field)));
  for (const field of NAME_FIELDS) {
    const names = value(field).split(",").filter((name) => name !== "");
    if (names.length > 0) view.filter[field] = names;
  }
  view.filter = withField(view.filter, "file", readOrdinal(value("file")) ?? undefined);
  const [by, direction] = value("sort").split(",");
  const key = SORT_KEYS.find((known) => known === by);
  if (key) view.sort = { by: key, descending: direction === "descending" };
  return view;
}

/**
 * Returns the index that a number from 1 means.
 * @param {string} text
 */
function readOrdinal(text) {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) - 1 : null;
}

/**
 * @param {NumberField} field
 * @param {string} text
 * @returns {Bounds | undefined}
 */
function readBounds(field, text) {
  const found = /^(\d*\.?\d*)\.\.(\d*\.?\d*)$/.exec(text);
  if (!found || text === "..") return undefined;
  const [least, most] = [Number(found[1]), found[2] === "" ? ENDLESS[field] : Number(found[2])];
  const isNumber = Number.isFinite(least) && Number.isFinite(most) && least <= most;
  return isNumber && (field === "er" || (Number.isInteger(least) && Number.isInteger(most))) ? [least, most] : undefined;
}
