// @ts-check
// How digits are written, typed and read. Up to 9x9 they are 1 to 9; above there are several ways.

import { geometry, SHAPES } from "./grid.js";

/** @typedef {"1-9A-G" | "0-9A-F" | "A-P" | "numbers"} Symbols */

const CHARACTERS = { "1-9A-G": "123456789ABCDEFGHIJKLMNOP", "0-9A-F": "0123456789ABCDEFGHIJKLMNO", "A-P": "ABCDEFGHIJKLMNOPQRSTUVWXY" };

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

/** What stands for other characters in texts that people copy from documents. @type {[RegExp, string][]} */
const PLAIN = [
  [/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, " "],
  [/[\u200b-\u200d\u2060\ufeff]/g, ""],
  [/[─━┄┅┈┉═╌╍╴╶╸╺╼╾]/g, "-"],
  [/[│┃┆┇┊┋║╎╏╵╷╹╻╽╿]/g, "|"],
  // The corners and crossings of a frame.
  [/[\u2500-\u257f]/g, "+"],
];

/**
 * Returns a text with plain spaces, without marks that are not seen, and with frames of `-`, `|` and `+`.
 * @param {string} text
 */
export const plainText = (text) => PLAIN.reduce((plain, [characters, other]) => plain.replace(characters, other), text);

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
 * Reads a square table whose cells have tabs, commas, semicolons or bars between them, as spreadsheets copy it: an empty cell is a blank. Returns null
 * for any other text.
 * @param {string} text
 * @param {string} usual the shape to take where it has that side
 * @returns {{shape: string, clues: number[]} | null}
 */
export function readTable(text, usual) {
  const rows = rowsOfTable(text);
  const side = rows.length;
  const shape = shapeOf(side, usual);
  if (!shape || rows.some((cells) => cells?.length !== side)) return null;
  const clues = rows.flatMap((cells) => (cells ?? []).map((cell) => cell.trim().replace(/^[._*-]?$/, "0")));
  return clues.every((clue) => /^\d\d?$/.test(clue) && Number(clue) <= side) ? { shape, clues: clues.map(Number) } : null;
}

/**
 * Returns the cells of each line of a table; null for other lines.
 * @param {string} text
 * @returns {(string[] | null)[]}
 */
function rowsOfTable(text) {
  const lines = text.split(/\r?\n/);
  const mark = ["\t", ",", ";"].find((mark) => text.includes(mark));
  if (mark === undefined) {
    const bare = lines.map((line) => line.trim()).filter((line) => /[^-+=:|]/.test(line));
    return bare.map((line) => (/^\|.*\|$/.test(line) ? line.slice(1, -1).split("|") : null));
  }
  const rows = lines.filter((line) => (mark === "\t" ? line : line.trim())).map((line) => line.split(mark));
  const side = rows.length;
  // Programs may leave out the empty cells at the end of a row when they copy, but not of all rows.
  if (mark === "\t" && rows.some((cells) => cells.length === side)) {
    return rows.map((cells) => [...cells, ...Array(Math.max(0, side - cells.length)).fill("")]);
  }
  // There may be a mark after the last cell.
  return rows.map((cells) => (cells.length === side + 1 && !cells[side].trim() ? cells.slice(0, side) : cells));
}
