// @ts-check
// A view of the collection, what changes it, and its form in the address.

/** @type {NumberField[]} */
export const NUMBER_FIELDS = ["clues", "guesses", "time_ns", "er"];
/** @type {SortKey[]} */
const SORT_KEYS = ["row", "clues", "status", "guesses", "time_ns", "er"];

/** The values of fields that have names. @type {Record<NameField, string[]>} */
export const NAMES = {
  status: ["unique", "multiple", "none", "conflict", "malformed", "budget"],
  symmetry: ["rotate180", "rotate90", "mirror", "diagonal", "none"],
};
/** @type {NameField[]} */
export const NAME_FIELDS = ["status", "symmetry"];

/** What fields are called. */
export const TITLES = { clues: "Clues", guesses: "Guesses", time_ns: "Time", er: "Rating", status: "Status", symmetry: "Symmetry", file: "File" };

/** The upper end of a range that has none. @type {Record<NumberField, number>} */
export const ENDLESS = { clues: 65535, guesses: 2 ** 53 - 1, time_ns: 2 ** 53 - 1, er: 99 };

/** How the names of a view's parts begin in the address, so that they stand beside those of the grid. */
const PREFIX = "c.";

/**
 * Returns the order after a click on a header: ascending, then descending, then that of the files.
 * @param {Sort} sort
 * @param {SortKey} by
 * @returns {Sort}
 */
export function nextSort(sort, by) {
  if (sort.by !== by) return { by, descending: false };
  return sort.descending ? { by: "row", descending: false } : { by, descending: true };
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
  return value === undefined || value.length === 0 ? rest : { ...rest, [field]: value };
}

/**
 * Returns the filter after a click on a bar: of a name, which is taken in or out; of numbers, which are chosen alone or
 * no more, or with `extend` together with those between.
 * @param {Filter} filter
 * @param {DOMStringMap} bar
 * @param {boolean} extend
 */
export function withBar(filter, bar, extend) {
  if (bar.value !== undefined) {
    const field = /** @type {NameField} */ (bar.field);
    const names = filter[field] ?? [];
    const others = names.filter((name) => name !== bar.value);
    return withField(filter, field, others.length < names.length ? others : [...names, bar.value]);
  }
  const field = /** @type {NumberField} */ (bar.field);
  const [least, most] = [Number(bar.least), Number(bar.most)];
  const chosen = filter[field];
  if (chosen && extend) return withField(filter, field, [Math.min(chosen[0], least), Math.max(chosen[1], most)]);
  return withField(filter, field, chosen?.[0] === least && chosen[1] === most ? undefined : [least, most]);
}

/**
 * Returns whether a filter names what a bar stands for.
 * @param {Filter} filter
 * @param {DOMStringMap} bar
 */
export function hasBar(filter, bar) {
  if (bar.value !== undefined) return filter[/** @type {NameField} */ (bar.field)]?.includes(bar.value) ?? false;
  const bounds = filter[/** @type {NumberField} */ (bar.field)];
  return bounds !== undefined && bounds[0] <= Number(bar.least) && Number(bar.most) <= bounds[1];
}

/**
 * Returns the fragment of an address with a view in place of the one that it may have. Ordinary values are left out.
 * @param {string} fragment
 * @param {View} view
 */
export function withView(fragment, { filter, sort, record }) {
  const parts = fragment.replace(/^#/, "").split("&").filter((part) => part !== "" && !part.startsWith(PREFIX));
  const add = (/** @type {string} */ name, /** @type {string | number} */ value) => parts.push(`${PREFIX}${name}=${value}`);
  for (const field of NUMBER_FIELDS) {
    const [least, most] = filter[field] ?? [];
    if (most !== undefined) add(field, `${least || ""}..${most === ENDLESS[field] ? "" : most}`);
  }
  for (const field of NAME_FIELDS) if (filter[field]) add(field, filter[field].map(encodeURIComponent).join(","));
  if (filter.file !== undefined) add("file", filter.file + 1);
  if (sort.by !== "row" || sort.descending) add("sort", `${sort.by}${sort.descending ? ",descending" : ""}`);
  if (record !== null) add("record", record + 1);
  return parts.join("&");
}

/**
 * Reads the view in the fragment of an address. Parts that can't be read are left out.
 * @param {string} fragment
 * @returns {View}
 */
export function readView(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const text = (/** @type {string} */ name) => values.get(PREFIX + name) ?? "";
  const index = (/** @type {string} */ name) => (/^[1-9]\d{0,14}$/.test(text(name)) ? Number(text(name)) - 1 : undefined);
  /** @type {Filter} */
  let filter = withField({}, "file", index("file"));
  for (const field of NUMBER_FIELDS) filter = withField(filter, field, readBounds(field, text(field)));
  for (const field of NAME_FIELDS) filter = withField(filter, field, text(field).split(",").filter(Boolean));
  const [by, direction] = text("sort").split(",");
  const sort = { by: SORT_KEYS.find((known) => known === by) ?? "row", descending: direction === "descending" };
  return { filter, sort, record: index("record") ?? null };
}

/**
 * @param {NumberField} field
 * @param {string} text
 */
function readBounds(field, text) {
  const [least, most, rest] = text.split("..");
  const bounds = [Number(least), most === "" ? ENDLESS[field] : Number(most)];
  const isRange = text.length > 2 && rest === undefined && bounds[0] >= 0 && bounds[0] <= bounds[1];
  return isRange && (field === "er" || bounds.every(Number.isSafeInteger)) ? bounds : undefined;
}
