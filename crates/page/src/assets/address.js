// @ts-check
// The grid and some settings as the fragment of the address, and back.

import { emptyGrid, geometry, SHAPES, wholeGrid } from "./grid.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {{grid: Grid, row: number | null, cap: number | null, marks: string | null, each: number | null, tab: string | null}} Place */

/** The ways to show candidates that the address names. */
const MARKS = ["true", "rules"];
const CHARACTERS = ".123456789ABCDEFG";

/** @param {number[]} digits */
const write = (digits) => digits.map((digit) => CHARACTERS[digit]).join("");

/**
 * Returns the digits of a text, or null if they are not those of the shape.
 * @param {string | null} text
 * @param {string} shape
 */
function read(text, shape) {
  const { cells, side } = geometry(shape);
  const digits = [...(text ?? "")].map((character) => CHARACTERS.indexOf(character.toUpperCase()));
  return digits.length === cells && digits.every((digit) => digit >= 0 && digit <= side) ? digits : null;
}

/**
 * Returns the fragment, without the number sign.
 * @param {Place} place
 */
export function toFragment({ grid, row, cap, marks, each, tab }) {
  const parts = [`shape=${grid.shape}`, `clues=${write(grid.clues)}`];
  if (grid.entries.some(Boolean)) parts.push(`entries=${write(grid.entries)}`);
  if (grid.removed.length) parts.push(`removed=${writeRemoved(grid.removed)}`);
  if (row !== null) parts.push(`row=${row}`);
  if (cap !== null) parts.push(`cap=${cap}`);
  if (marks !== null) parts.push(`marks=${marks}`);
  if (each !== null) parts.push(`each=${each}`);
  if (tab !== null) parts.push(`tab=${tab}`);
  return parts.join("&");
}

/**
 * Returns what a fragment says; null if it has no grid that can be read.
 * @param {string} fragment
 * @returns {Place | null}
 */
export function fromFragment(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const shape = parts.get("shape") ?? "";
  if (!SHAPES.includes(shape)) return null;
  const clues = read(parts.get("clues"), shape);
  if (!clues) return null;
  const entries = read(parts.get("entries"), shape) ?? emptyGrid(shape).entries;
  const removed = readRemoved(parts.get("removed") ?? "", shape);
  return {
    grid: wholeGrid({ shape, clues, entries, removed }),
    row: whole(parts.get("row")),
    cap: whole(parts.get("cap")),
    marks: MARKS.find((name) => name === parts.get("marks")) ?? null,
    each: whole(parts.get("each")),
    tab: parts.get("tab"),
  };
}

/** @param {string | null} text */
function whole(text) {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** @param {[number, number][]} removed */
function writeRemoved(removed) {
  /** @type {Map<number, string>} */
  const cells = new Map();
  removed.forEach(([cell, digit]) => cells.set(cell, (cells.get(cell) ?? "") + CHARACTERS[digit]));
  return [...cells].map(([cell, digits]) => `${cell}.${digits}`).join("_");
}

/**
 * @param {string} text
 * @param {string} shape
 * @returns {[number, number][]}
 */
function readRemoved(text, shape) {
  const { cells, side } = geometry(shape);
  /** @type {[number, number][]} */
  const removed = [];
  for (const part of text.split("_")) {
    const [cell, digits] = part.split(".");
    for (const character of digits ?? "") removed.push([Number(cell), CHARACTERS.indexOf(character)]);
  }
  return removed.filter(([cell, digit]) => cell >= 0 && cell < cells && digit > 0 && digit <= side);
}
