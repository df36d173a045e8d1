// @ts-check
// The symbols of digits. Up to 9x9 they are 1 to 9; for larger grids the user can choose.

import { geometry, SHAPES } from "./grid.js";

/** @typedef {"1-9A-G" | "0-9A-F" | "A-P" | "numbers"} Symbols */

const CHARACTERS = { "1-9A-G": "123456789ABCDEFGHIJKLMNOP", "0-9A-F": "0123456789ABCDEFGHIJKLMNO", "A-P": "ABCDEFGHIJKLMNOPQRSTUVWXY" };

/**
 * The shape of a side. The shape of the page is preferred if it has this side.
 * @param {number} side
 * @param {string} usual
 */
const shapeOf = (side, usual) => [usual, ...SHAPES].find((shape) => geometry(shape).side === side);

/**
 * The characters of the digits, in order. In the form "numbers", digits above 9 are typed as letters.
 * @param {number} side
 * @param {Symbols} symbols
 */
function characters(side, symbols) {
  const isPlain = side <= 9 || symbols === "numbers";
  return CHARACTERS[isPlain ? "1-9A-G" : symbols].slice(0, side);
}

/**
 * The symbol of a digit; empty for 0.
 * @param {number} digit
 * @param {number} side
 * @param {Symbols} symbols
 */
export function symbol(digit, side, symbols) {
  if (!digit) return "";
  return symbols === "numbers" ? String(digit) : characters(side, symbols)[digit - 1];
}

/**
 * The digit that a key types; null if it types none.
 * @param {string} key
 * @param {number} side
 * @param {Symbols} symbols
 */
export function typedDigit(key, side, symbols) {
  const place = key.length === 1 ? characters(side, symbols).indexOf(key.toUpperCase()) : -1;
  return place < 0 ? null : place + 1;
}

/**
 * The digits in one line, with a point for each blank. Numbers are separated by spaces, with 0 for a blank.
 * @param {number[]} digits
 * @param {number} side
 * @param {Symbols} symbols
 */
export function lineOf(digits, side, symbols) {
  if (side > 9 && symbols === "numbers") return digits.join(" ");
  return digits.map((digit) => symbol(digit, side, symbols) || ".").join("");
}

/** Replacements for special characters in texts that are copied from documents. @type {[RegExp, string][]} */
const PLAIN = [
  [/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, " "],
  [/[\u200b-\u200d\u2060\ufeff]/g, ""],
  [/[─━┄┅┈┉═╌╍╴╶╸╺╼╾]/g, "-"],
  [/[│┃┆┇┊┋║╎╏╵╷╹╻╽╿]/g, "|"],
  // All other box-drawing characters are corners and crossings.
  [/[\u2500-\u257f]/g, "+"],
];

/**
 * Simplifies a text: spaces become plain, invisible characters are removed, and frames consist of `-`, `|` and `+`.
 * @param {string} text
 */
export const plainText = (text) => PLAIN.reduce((plain, [characters, other]) => plain.replace(characters, other), text);

/**
 * Reads a plain line of digits, for grids up to 9x9; null for any other text.
 * @param {string} text
 * @param {string} usual the preferred shape, if it has that many cells
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
 * Reads a square table as spreadsheets copy it, with tabs, commas, semicolons or bars between the cells. Empty cells are blanks.
 * Null for any other text.
 * @param {string} text
 * @param {string} usual the preferred shape, if it has that side
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
 * The cells of each line of a table; null for a line that is not part of one.
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
  // Some programs drop the empty cells at the end of a row, but at least one row is complete.
  if (mark === "\t" && rows.some((cells) => cells.length === side)) {
    return rows.map((cells) => [...cells, ...Array(Math.max(0, side - cells.length)).fill("")]);
  }
  // Some programs write a separator after the last cell too.
  return rows.map((cells) => (cells.length === side + 1 && !cells[side].trim() ? cells.slice(0, side) : cells));
}
