// @ts-check
// Numbers and times as people read and type them.

/** Writes a number: 1,024. */
export const number = new Intl.NumberFormat("en").format;

/**
 * Returns a number of things: 1 record, 2 records.
 * @param {number} count
 * @param {string} thing
 */
export const counted = (count, thing) => `${number(count)} ${thing}${count === 1 ? "" : "s"}`;

/** @type {[string, number][]} */
const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/**
 * Returns a duration with so many figures: 820 ns, 1.2 ms.
 * @param {number} nanos
 * @param {number} [figures]
 */
export function duration(nanos, figures = 3) {
  const [unit, size] = UNITS.find(([, size]) => nanos >= size) ?? UNITS[3];
  return `${Number((nanos / size).toPrecision(figures))} ${unit}`;
}

/** @type {Record<string, number>} */
const SIZES = { ns: 1, us: 1e3, "µs": 1e3, "μs": 1e3, ms: 1e6, s: 1e9 };

/**
 * Reads a duration in nanoseconds: "1.5 ms", "300us", "2s". Null where there is none.
 * @param {string} text
 */
export function parseDuration(text) {
  const [, amount, unit] = /^([\d.]+)\s*(\S+)$/.exec(text.trim()) ?? [];
  const nanos = Math.round(Number(amount) * (SIZES[unit] ?? NaN));
  return Number.isSafeInteger(nanos) ? nanos : null;
}
