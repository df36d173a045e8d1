// @ts-check
// How digits are written, typed and read. Up to 9x9 they are 1 to 9; above there are several ways.

import { geometry, SHAPES } from "./grid.js";

/** @typedef {"1-9A-G" | "0-9A-F" | "A-P" | "numbers"} Symbols */

const CHARACTERS = { "1-9A-G": "123456789ABCDEFG", "0-9A-F": "0123456789ABCDEF", "A-P": "ABCDEFGHIJKLMNOP" };

/**
 * Returns the shape of a side: the usual one of the page if it has that side.
 * @param {number} side
 * @param {string} usual
 */
const shapeOf = (side, usual) => [usual, ...SHAPES].find((shape) => geometry(shape).side === side);

/**
 * Returns the characters of the digits in order; numbers above 9 are typed as letters.
 * @param {number} side
 * @param {Symbols} symbols
 */
function characters(side, symbols) {
  const isPlain = side <= 9 || symbols === "numbers";
  return CHARACTERS[isPlain ? "1-9A-G" : symbols].slice(0, side);
}

/**
 * Returns a digit as it is shown; nothing for 0.
 * @param {number} digit
 * @param {number} side
 * @param {Symbols} symbols
 */
export function symbol(digit, side, symbols) {
  if (!digit) return "";
  return symbols === "numbers" ? String(digit) : characters(side, symbols)[digit - 1];
}

/**
 * Returns the digit that a key stands for, or null.
 * @param {string} key
 * @param {number} side
 * @param {Symbols} symbols
 */
export function typedDigit(key, side, symbols) {
  const place = key.length === 1 ? characters(side, symbols).indexOf(key.toUpperCase()) : -1;
  return place < 0 ? null : place + 1;
}

/**
 * Returns the digits as one line, with a point for each blank; as numbers with spaces between them and 0 for a blank.
 * @param {number[]} digits
 * @param {number} side
 * @param {Symbols} symbols
 */
export function lineOf(digits, side, symbols) {
  if (side > 9 && symbols === "numbers") return digits.join(" ");
  return digits.map((digit) => symbol(digit, side, symbols) || ".").join("");
}

/**
 * Reads one plain line of digits up to 9x9; null for any other text.
 * @param {string} text
 * @param {string} usual the shape to take where it has that many cells
 * @returns {{shape: string, clues: number[]} | null}
 */
export function readPlain(text, usual) {
  const line = text.trim();
  const side = Math.sqrt(line.length);
  const shape = shapeOf(side, usual);
  if (side > 9 || !shape || !/^[0-9._*-]+$/.test(line)) return null;
  const clues = [...line].map((character) => Number(character) || 0);
  return clues.every((clue) => clue <= side) ? { shape, clues } : null;
}

/**
 * Reads a square table whose cells have tabs or bars between them, as spreadsheets copy it: an empty cell is a blank. Returns null for any other text.
 * @param {string} text
 * @param {string} usual the shape to take where it has that side
 * @returns {{shape: string, clues: number[]} | null}
 */
export function readTable(text, usual) {
  const isTabbed = text.includes("\t");
  const lines = text.split(/\r?\n/).map((line) => (isTabbed ? line : line.trim()));
  const cellsOf = (/** @type {string} */ line) => (isTabbed ? line.split("\t") : /^\|.*\|$/.test(line) ? line.slice(1, -1).split("|") : null);
  const rows = lines.filter((line) => (isTabbed ? line : /[^-+=:|]/.test(line))).map(cellsOf);
  const side = rows.length;
  const shape = shapeOf(side, usual);
  // Programs may leave out the empty cells at the end of a row when they copy.
  if (!shape || rows.some((cells) => !cells || (isTabbed ? cells.length > side : cells.length !== side))) return null;
  if (!rows.some((cells) => cells?.length === side)) return null;
  const clues = rows.flatMap((cells) => Array.from({ length: side }, (_, place) => (cells?.[place] ?? "").trim().replace(/^[._*-]?$/, "0")));
  return clues.every((clue) => /^\d\d?$/.test(clue) && Number(clue) <= side) ? { shape, clues: clues.map(Number) } : null;
}
