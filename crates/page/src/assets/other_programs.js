// @ts-check
// Puzzles in the addresses of other programs, read and written: f-puzzles, SudokuPad, SudokuWiki, Sudoku Exchange.

import { ask } from "./api.js";
import { digitsOf, geometry, isEqual, SHAPES } from "./grid.js";
import { lineOf } from "./symbols.js";

/**
 * @typedef {import("./grid.js").Grid} Grid
 * @typedef {{value?: unknown, given?: boolean, region?: number | null, givenPencilMarks?: unknown}} Cell
 * @typedef {Record<string, any>} Puzzle
 */

/** The digits of a 9x9 grid in one line, with 0 for a blank. @param {Grid} grid */
const zeros = (grid) => lineOf(digitsOf(grid), 9, "1-9A-G").replaceAll(".", "0");

/**
 * Writes the address of a grid, by the name of its form. The last two forms are only for 9x9.
 * @type {Record<string, (grid: Grid) => Promise<string>>}
 */
export const ADDRESSES = {
  "f-puzzles": async (grid) => `https://www.f-puzzles.com/?load=${await packed(grid)}`,
  "sudokupad": async (grid) => `https://sudokupad.app/fpuzzles${await packed(grid)}`,
  "sudokuwiki": async (grid) => `https://www.sudokuwiki.org/sudoku.htm?bd=${zeros(grid)}`,
  "sudokuexchange": async (grid) => `https://sudokuexchange.com/play/?s=${zeros(grid)}`,
};

/** @param {Grid} grid */
const packed = async (grid) => encodeURIComponent((await ask("pack", { text: JSON.stringify(toFPuzzle(grid)) })).text);

/** The largest side that f-puzzles and SudokuPad can show. */
export const MAX_SIDE_ELSEWHERE = 16;

/** @param {Grid} grid */
function toFPuzzle(grid) {
  const { side } = geometry(grid.shape);
  const regions = grid.shape === usualShape(side) ? [] : regionsOf(grid.shape);
  const cells = grid.clues.map((clue, cell) => ({
    ...(clue ? { value: clue, given: true } : grid.entries[cell] ? { value: grid.entries[cell] } : {}),
    ...(regions.length ? { region: regions[cell] } : {}),
  }));
  return { size: side, grid: Array.from({ length: side }, (_, row) => cells.slice(row * side, (row + 1) * side)) };
}

/** @param {number} side */
const usualShape = (side) => SHAPES.find((shape) => geometry(shape).side === side);

/** The index of the box of each cell. @param {string} shape */
function regionsOf(shape) {
  const { houses, side, cells } = geometry(shape);
  const regions = Array(cells).fill(0);
  houses.slice(2 * side).forEach((house, box) => house.cells.forEach((cell) => (regions[cell] = box)));
  return regions;
}

/**
 * Reads the grid from an address of another program; null for any other text. Throws if the address has no puzzle, or if the puzzle
 * has more rules than a plain Sudoku.
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<{shape: string, clues: number[], entries?: number[]} | null>}
 */
export async function readAddress(text, signal) {
  const word = text.trim();
  if (!/^https?:\/\/\S+$/.test(word) || !URL.canParse(word)) return null;
  const { hostname, pathname, search } = new URL(word);
  const values = new URLSearchParams(search.replaceAll("+", "%2B"));
  const host = hostname.replace(/^(www|beta|app|dev)\./, "");
  if (host === "f-puzzles.com") return fromPacked(values.get("load") ?? "", "f-puzzles", signal);
  if (host === "sudokupad.app" || host === "crackingthecryptic.com") {
    const id = values.get("puzzleid") ?? pathname.replaceAll("%2B", "+").replaceAll("%2F", "/").replaceAll("%3D", "=");
    const [, form, packed] = /\b(fpuzzles|fpuz|scl)([A-Za-z0-9+/=]+)$/.exec(id) ?? [];
    return fromPacked(packed ?? "", "SudokuPad", signal, form === "scl" ? unzip : JSON.parse);
  }
  if (host === "sudokuwiki.org") return fromLine(values.get("bd"), "SudokuWiki");
  if (host === "sudokuexchange.com") return fromLine(values.get("s"), "Sudoku Exchange");
  throw new Error(`The page can't read addresses of ${hostname}. Copy the puzzle itself from there, e.g. as a line of 81 characters, and paste that.`);
}

/**
 * @param {string | null} line
 * @param {string} name
 */
function fromLine(line, name) {
  if (!/^[0-9.]{81}$/.test(line ?? "")) throw new Error(`This address of ${name} does not contain 81 cells as digits. Copy the puzzle from there as a line, and paste that.`);
  return { shape: "3x3", clues: [...(line ?? "")].map((digit) => Number(digit) || 0) };
}

/**
 * @param {string} packed
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {(text: string) => Puzzle} [parse]
 */
async function fromPacked(packed, name, signal, parse = JSON.parse) {
  const { text } = await ask("unpack", { text: packed }, signal);
  /** @type {Puzzle | null} */
  let puzzle = null;
  try {
    puzzle = parse(text ?? "");
  } catch {
    // The error is thrown below, where all other texts that are not a puzzle are refused too.
  }
  if (!Array.isArray(puzzle?.grid) || !puzzle.grid.every(Array.isArray)) {
    throw new Error(`This address of ${name} contains only the name or a part of a puzzle. Open it there, export it as a link with the whole puzzle or as text, and paste that.`);
  }
  refuseMore(puzzle, name);
  /** @type {Cell[]} */
  const cells = puzzle.grid.flat();
  const side = puzzle.grid.length;
  const shape = cells.length === side * side ? shapeOf(cells, side) : undefined;
  if (!shape) throw new Error(`The puzzle of this address has ${side} rows and boxes that are not rectangles. The page only shows grids with rectangular boxes.`);
  const digits = cells.map((cell) => Number(cell?.value) || 0);
  if (!digits.every((digit) => Number.isInteger(digit) && digit >= 0 && digit <= side)) throw new Error(`The puzzle of this address has digits that are not from 1 to ${side}.`);
  const isClue = (/** @type {number} */ cell) => parse === unzip || cells[cell]?.given === true;
  return { shape, clues: digits.map((digit, cell) => (isClue(cell) ? digit : 0)), entries: digits.map((digit, cell) => (isClue(cell) ? 0 : digit)) };
}

/**
 * Finds the shape whose boxes are the regions of the cells. If no regions are given, it is the usual shape of that side.
 * @param {Cell[]} cells
 * @param {number} side
 */
function shapeOf(cells, side) {
  const usual = usualShape(side);
  if (usual === undefined) return undefined;
  const plain = regionsOf(usual);
  const names = cells.map((cell, place) => cell?.region ?? plain[place]);
  const first = names.map((name) => names.indexOf(name));
  const isOf = (/** @type {string} */ shape) => isEqual(first, regionsOf(shape).map((region, _, all) => all.indexOf(region)));
  return SHAPES.find((shape) => geometry(shape).side === side && isOf(shape));
}

/** The fields that an address may have besides a plain Sudoku, because they do not change it. */
const HARMLESS = ["size", "title", "author", "ruleset", "rules", "grid", "solution", "successMessage", "highlightConflicts", "info", "metadata", "id", "cellSize", "settings", "videos", "duration", "disabledlogic", "truecandidatesoptions"];

/** Readable names of other rules, for keys that are not words. @type {Record<string, string>} */
const NAMES = {
  "killercage": "killer cages", "thermometer": "thermometers", "littlekillersum": "little killers", "sandwichsum": "sandwich sums", "extraregion": "extra regions",
  "diagonal+": "the rising diagonal", "diagonal-": "the falling diagonal", "betweenline": "between lines", "disjointgroups": "disjoint groups", "givenPencilMarks": "given candidates",
};

/**
 * Refuses a puzzle with more rules than a plain Sudoku, because without them it would be a different puzzle.
 * @param {Puzzle} puzzle
 * @param {string} name
 */
function refuseMore(puzzle, name) {
  const isSaid = (/** @type {unknown} */ value) => Boolean(value) && (typeof value !== "object" || Object.keys(value ?? {}).length > 0);
  const more = Object.keys(puzzle).filter((key) => !HARMLESS.includes(key) && isSaid(puzzle[key]));
  if (puzzle.grid.flat().some((/** @type {Cell} */ cell) => isSaid(cell?.givenPencilMarks))) more.push("givenPencilMarks");
  if (!more.length) return;
  const words = more.map((key) => NAMES[key] ?? key).join(", ");
  throw new Error(`The puzzle of this address of ${name} is not a plain Sudoku: it has ${words}. Remove them there, or solve it there.`);
}

/** The short names of SudokuPad for the parts of a puzzle. @type {Record<string, string>} */
const SHORT = { ce: "cells", re: "regions", ca: "cages", l: "lines", a: "arrows", o: "overlays", u: "underlays", cs: "cellSize", v: "value" };

/**
 * Reads a puzzle in the short form of SudokuPad, which is JSON without most of its quotes.
 * @param {string} text
 * @returns {Puzzle}
 */
function unzip(text) {
  const quoted = text.replaceAll("'", '"').replace(/([[{,])(\w+):/g, '$1"$2":').replace(/([[,])(?=[,\]])/g, "$1{}");
  const all = JSON.parse(quoted.replace(/:(#[0F]|[\da-fA-F]{6}|[ft])(?=[,}\]])/g, ':"$1"'), (_, value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [SHORT[key] ?? key, part]));
  });
  const { cells: grid, regions = [], cages = [], ...rest } = all;
  regions.forEach((/** @type {number[][]} */ region, /** @type {number} */ name) => region.forEach(([row, column]) => (grid[row][column].region = name)));
  // Cages without cells are removed, because they only hold titles and other metadata.
  return { ...rest, grid, cages: cages.filter((/** @type {Puzzle} */ cage) => cage.cells?.length) };
}
