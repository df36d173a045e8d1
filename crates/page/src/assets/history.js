// @ts-check
// Undo and redo, of any values.

/** States that are kept to go back to. */
const DEPTH = 2000;

/**
 * @template T
 * @typedef {{past: T[], now: T, future: T[]}} History
 */

/**
 * @template T
 * @param {T} now
 * @returns {History<T>}
 */
export function begin(now) {
  return { past: [], now, future: [] };
}

/**
 * Returns the history with a new state; what was undone is forgotten.
 * @template T
 * @param {History<T>} history
 * @param {T} next
 * @returns {History<T>}
 */
export function put({ past, now }, next) {
  return { past: [...past, now].slice(-DEPTH), now: next, future: [] };
}

/**
 * @template T
 * @param {History<T>} history
 * @returns {History<T>}
 */
export function undo(history) {
  const { past, now, future } = history;
  return past.length ? { past: past.slice(0, -1), now: past[past.length - 1], future: [now, ...future] } : history;
}

/**
 * @template T
 * @param {History<T>} history
 * @returns {History<T>}
 */
export function redo(history) {
  const { past, now, future } = history;
  return future.length ? { past: [...past, now], now: future[0], future: future.slice(1) } : history;
}
