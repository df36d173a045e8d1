// @ts-check
// A view of the collection, and what changes it.

/** @type {NumberField[]} */
export const NUMBER_FIELDS = ["clues", "guesses", "time_ns", "er"];
/** @type {SortKey[]} */
export const SORT_KEYS = ["row", "clues", "status", "guesses", "time_ns", "er"];

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
