// @ts-check
// Numbers and values of records as people read them.

const grouped = new Intl.NumberFormat("en");

/**
 * @param {number} count
 */
export function number(count) {
  return grouped.format(count);
}

/**
 * Returns a number of things: 1 record, 2 records.
 * @param {number} count
 * @param {string} thing
 */
export function counted(count, thing) {
  return `${number(count)} ${thing}${count === 1 ? "" : "s"}`;
}

const TIME_UNITS = /** @type {const} */ ([["s", 1e9], ["ms", 1e6], ["µs", 1e3]]);

/**
 * Returns a duration with three figures and a unit: 820 ns, 1.20 ms.
 * @param {number} nanos
 */
export function duration(nanos) {
  for (const [unit, size] of TIME_UNITS) {
    const value = nanos / size;
    if (value >= 1) return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
  }
  return `${nanos} ns`;
}

/**
 * Returns a duration with all its figures, as it can be typed: 1.2345 ms.
 * @param {number} nanos
 */
export function exactDuration(nanos) {
  for (const [unit, size] of TIME_UNITS) if (nanos >= size) return `${nanos / size} ${unit}`;
  return `${nanos} ns`;
}

/**
 * Reads a duration in nanoseconds: "1.5 ms", "300us", "2s"; a number alone is of microseconds. Null where there is none.
 * @param {string} text
 */
export function parseDuration(text) {
  const found = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|μs|ms|s)?\s*$/i.exec(text);
  if (!found) return null;
  const sizes = /** @type {Record<string, number>} */ ({ ns: 1, ms: 1e6, s: 1e9 });
  return Math.round(Number(found[1]) * (sizes[found[2]?.toLowerCase()] ?? 1e3));
}

/**
 * @param {number} bytes
 */
export function size(bytes) {
  const units = /** @type {const} */ ([["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]);
  for (const [unit, of] of units) if (bytes >= of) return `${(bytes / of).toFixed(bytes < 10 * of ? 1 : 0)} ${unit}`;
  return counted(bytes, "byte");
}
