// @ts-check
// Contradictions that are seen without a search.

import { candidatesOf, cellName, digitsOf, geometry } from "./grid.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {{cells: number[], words: string, isWrong?: boolean}} Contradiction: `isWrong` says that it is an answer that is not in the solution */

const TIMES = ["", "", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/**
 * Returns the digits that stand more than once in a house.
 * @param {Grid} grid
 * @param {(digit: number) => string} write
 * @returns {Contradiction[]}
 */
export function repeats(grid, write) {
  const digits = digitsOf(grid);
  /** @type {Contradiction[]} */
  const found = [];
  for (const { name, cells } of geometry(grid.shape).houses) {
    /** @type {Map<number, number[]>} */
    const places = new Map();
    for (const cell of cells) {
      if (digits[cell]) places.set(digits[cell], [...(places.get(digits[cell]) ?? []), cell]);
    }
    for (const [digit, where] of places) {
      if (where.length < 2) continue;
      const times = TIMES[where.length] ?? String(where.length);
      found.push({ cells: where, words: `${name} has ${times} ${write(digit)}s` });
    }
  }
  return found;
}

/**
 * Returns the cells without a digit that could stand there, and the digits without a place in a house.
 * @param {Grid} grid
 * @param {(digit: number) => string} write
 * @returns {Contradiction[]}
 */
export function gaps(grid, write) {
  const shape = geometry(grid.shape);
  const digits = digitsOf(grid);
  const left = candidatesOf({ ...grid, removed: [] });
  /** @type {Contradiction[]} */
  const found = [];
  left.forEach((open, cell) => {
    if (!digits[cell] && !open.size) found.push({ cells: [cell], words: `${cellName(shape, cell)} has no digit left` });
  });
  for (const { name, cells } of shape.houses) {
    for (let digit = 1; digit <= shape.side; digit += 1) {
      if (cells.some((cell) => digits[cell] === digit || left[cell].has(digit))) continue;
      found.push({ cells: cells.filter((cell) => !digits[cell]), words: `${name} has no place left for ${write(digit)}` });
    }
  }
  return found;
}

/**
 * Returns the answers that are not as in the solution of the clues.
 * @param {Grid} grid
 * @param {number[]} solution
 * @param {(digit: number) => string} write
 * @returns {Contradiction[]}
 */
export function wrongAnswers(grid, solution, write) {
  const shape = geometry(grid.shape);
  const cells = [...grid.entries.keys()].filter((cell) => grid.entries[cell] && grid.entries[cell] !== solution[cell]);
  return cells.map((cell) => ({ cells: [cell], isWrong: true, words: `${cellName(shape, cell)}: ${write(grid.entries[cell])} is not in the solution of the clues` }));
}
