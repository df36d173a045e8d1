// @ts-check
// The links of a step, as lines over the grid.

import { byId } from "./dom.js";
import { markColumns } from "./grid.js";

/** @typedef {import("./grid.js").Geometry} Geometry */
/** @typedef {import("./live.js").Step} Step */

/** Units of the drawing for a cell. */
const CELL = 100;
/** The part of a cell at each edge where no candidate stands; the style sheet has it too. */
const EDGE = 0.04;
const SVG = "http://www.w3.org/2000/svg";

/**
 * Draws the links of a step, or none.
 * @param {Geometry} geometry
 * @param {Step | undefined} step
 */
export function drawLinks({ side }, step) {
  const overlay = byId("overlay", SVGSVGElement);
  const links = step?.links ?? [];
  overlay.toggleAttribute("data-drawn", links.length > 0);
  overlay.setAttribute("viewBox", `0 0 ${side * CELL} ${side * CELL}`);
  overlay.querySelectorAll("[data-link], [data-node]").forEach((element) => element.remove());
  /** @type {Map<string, {at: [number, number], stands: boolean}>} */
  const nodes = new Map();
  for (const [from, digit, stands, to, other, otherStands] of links) {
    const [start, end] = [place(from, digit, side), place(to, other, side)];
    nodes.set(`${from} ${digit}`, { at: start, stands });
    nodes.set(`${to} ${other}`, { at: end, stands: otherStands });
    overlay.append(line(start, end, stands, radius(side)));
  }
  for (const { at, stands } of nodes.values()) overlay.append(ring(at, stands, radius(side)));
}

/** @param {number} side */
const radius = (side) => (CELL / markColumns(side)) * 0.4;

/**
 * Returns the middle of a candidate.
 * @param {number} cell
 * @param {number} digit
 * @param {number} side
 * @returns {[number, number]}
 */
function place(cell, digit, side) {
  const columns = markColumns(side);
  const rows = Math.ceil(side / columns);
  const within = (/** @type {number} */ index, /** @type {number} */ of) => EDGE + ((index + 0.5) / of) * (1 - 2 * EDGE);
  const x = (cell % side) + within((digit - 1) % columns, columns);
  const y = Math.floor(cell / side) + within(Math.floor((digit - 1) / columns), rows);
  return [x * CELL, y * CELL];
}

/**
 * Returns a line that is bent a little, so that it does not hide behind others. It is dashed where the first digit would stand: then the other cannot.
 * @param {[number, number]} start
 * @param {[number, number]} end
 * @param {boolean} stands
 * @param {number} gap
 */
function line([x, y], [endX, endY], stands, gap) {
  const [across, down] = [endX - x, endY - y];
  const length = Math.hypot(across, down) || 1;
  const [unitX, unitY] = [across / length, down / length];
  const bend = Math.min(length * 0.12, CELL * 0.6);
  const middle = [(x + endX) / 2 - unitY * bend, (y + endY) / 2 + unitX * bend];
  const edge = Math.min(gap, length / 3);
  const [fromX, fromY] = towards([x, y], middle, edge);
  const [toX, toY] = towards([endX, endY], middle, edge * 1.3);
  return shape("path", {
    d: `M${fromX} ${fromY}Q${middle[0]} ${middle[1]} ${toX} ${toY}`,
    "data-link": stands ? "weak" : "strong",
    "marker-end": "url(#arrow)",
  });
}

/**
 * Returns the point at a distance from a start on the way to an end.
 * @param {number[]} start
 * @param {number[]} end
 * @param {number} distance
 */
function towards([x, y], [endX, endY], distance) {
  const length = Math.hypot(endX - x, endY - y) || 1;
  return [x + ((endX - x) / length) * distance, y + ((endY - y) / length) * distance].map(Math.round);
}

/**
 * @param {[number, number]} at
 * @param {boolean} stands
 * @param {number} r
 */
function ring([cx, cy], stands, r) {
  return shape("circle", { cx, cy, r, "data-node": stands ? "on" : "off" });
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
