// @ts-check
// The grid as a picture (SVG or PNG), and downloads.

import { element } from "./dom.js";
import { geometry, markColumns } from "./grid.js";

/**
 * @typedef {import("./grid.js").Grid} Grid
 * @typedef {{text: string, x: number, y: number, size: number, colour: string, weight: number}} Letter
 * @typedef {{size: number, bars: number[][], letters: Letter[]}} Drawing: bars have x, y, width and height
 */

/** The size of a cell, and of the margin around the grid. */
const CELL = 60;
const EDGE = 4;
/** The widths of the lines between boxes and between cells. */
const [THICK, THIN] = [4, 2];
const FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif";
const [CLUE, ANSWER, MARK] = ["#000", "#0068a6", "#444"];

/**
 * Draws clues, answers and candidates. All coordinates are whole numbers, so that lines are crisp.
 * @param {Grid} grid
 * @param {(digit: number) => string} write
 * @param {Iterable<number>[]} marks the candidates of each cell
 * @returns {Drawing}
 */
export function drawing({ shape, clues, entries }, write, marks) {
  const { side, rows, columns } = geometry(shape);
  const [size, length] = [side * CELL + 2 * EDGE, side * CELL + THICK];
  const line = (/** @type {number} */ index, /** @type {number} */ box) => ({ at: EDGE + index * CELL - (index % box ? THIN : THICK) / 2, width: index % box ? THIN : THICK });
  const edges = Array.from({ length: side + 1 }, (_, index) => index);
  const across = edges.map((index) => line(index, rows)).map(({ at, width }) => [EDGE - THICK / 2, at, length, width]);
  const down = edges.map((index) => line(index, columns)).map(({ at, width }) => [at, EDGE - THICK / 2, width, length]);
  const columnsOfMarks = markColumns(side);
  const letters = clues.flatMap((clue, cell) => {
    const [x, y] = [EDGE + (cell % side) * CELL, EDGE + Math.floor(cell / side) * CELL];
    const letter = (/** @type {number} */ digit, /** @type {number} */ dx, /** @type {number} */ dy, /** @type {number} */ height, /** @type {string} */ colour) => {
      const text = write(digit);
      const size = text.length > 1 ? height * 0.75 : height;
      return { text, x: x + dx, y: Math.round(y + dy + size * 0.36), size, colour, weight: colour === CLUE ? 700 : 400 };
    };
    if (clue || entries[cell]) return [letter(clue || entries[cell], CELL / 2, CELL / 2, CELL * 0.6, clue ? CLUE : ANSWER)];
    const step = (CELL - 6) / columnsOfMarks;
    const place = (/** @type {number} */ index) => 3 + (index + 0.5) * step;
    return [...marks[cell]].map((digit) => letter(digit, place((digit - 1) % columnsOfMarks), place(Math.floor((digit - 1) / columnsOfMarks)), step * 0.85, MARK));
  });
  return { size, bars: [...across, ...down], letters };
}

/**
 * A drawing as an SVG file that refers to no other file.
 * @param {Drawing} drawing
 */
export function svgOf({ size, bars, letters }) {
  const path = bars.map(([x, y, width, height]) => `M${x} ${y}h${width}v${height}h${-width}z`).join("");
  const texts = letters.map(({ text, x, y, size, colour, weight }) => `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}">${text}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}"><rect width="${size}" height="${size}" fill="#fff"/>
<path d="${path}" shape-rendering="crispEdges"/>
<g font-family="${FONT}" text-anchor="middle">
${texts.join("\n")}
</g></svg>
`;
}

/**
 * A drawing as PNG, with two pixels per unit.
 * @param {Drawing} drawing
 * @returns {Promise<Blob>}
 */
export function pngOf({ size, bars, letters }) {
  const canvas = element("canvas", { width: 2 * size, height: 2 * size });
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("This browser can't draw the picture; save the grid as SVG.");
  pen.scale(2, 2);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = "#000";
  for (const [x, y, width, height] of bars) pen.fillRect(x, y, width, height);
  pen.textAlign = "center";
  for (const { text, x, y, size, colour, weight } of letters) {
    pen.fillStyle = colour;
    pen.font = `${weight} ${size}px ${FONT}`;
    pen.fillText(text, x, y);
  }
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The picture is too large for this browser; save the grid as SVG."))), "image/png"));
}

/**
 * Downloads a file.
 * @param {string} name
 * @param {Blob} blob
 */
export function save(name, blob) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
