// @ts-check
// Transformations of the grid: rotated, mirrored, with other digits, and in its minlex form.

import { ask } from "./api.js";
import { dialog, onClicks, select } from "./dom.js";
import { digitsOf, moved, range, remap, renamed } from "./grid.js";
import { fail } from "./message.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./grid.js").Grid} Grid */

/**
 * Connects the dialog that transforms the grid. It closes after each transformation.
 * @param {Page} page
 */
export function mountTransform(page) {
  const window = dialog("transform-dialog");
  const [first, second] = [select("transform-first"), select("transform-second")];
  const put = (/** @type {Grid} */ grid) => page.put(grid);
  for (const choice of window.querySelectorAll("button")) {
    const move = /** @type {import("./grid.js").Move | undefined} */ (choice.dataset.move);
    choice.addEventListener("click", () => {
      window.close();
      if (move) put(moved(page.grid, move));
    });
  }
  onClicks({
    "transform": () => {
      for (const list of [first, second]) list.replaceChildren(...range(page.geometry.side).map((digit) => new Option(page.write(digit), String(digit))));
      second.value = "2";
      window.showModal();
    },
    "transform-renumber": () => put(renumbered(page.grid, page.geometry.side)),
    "transform-swap": () => put(swapped(page.grid, page.geometry.side, Number(first.value), Number(second.value))),
    "transform-minlex": () => void minlex(page.grid, page.expect()).then(put).catch(fail),
  });
}

/**
 * Renumbers the digits in the order of their first appearance.
 * @param {Grid} grid
 * @param {number} side
 */
function renumbered(grid, side) {
  const order = [...new Set([0, ...digitsOf(grid).filter(Boolean), ...Array(side + 1).keys()])];
  return renamed(grid, order.map((_, digit) => order.indexOf(digit)));
}

/**
 * Swaps two digits.
 * @param {Grid} grid
 * @param {number} side
 * @param {number} first
 * @param {number} second
 */
function swapped(grid, side, first, second) {
  const names = [...Array(side + 1).keys()];
  [names[first], names[second]] = [second, first];
  return renamed(grid, names);
}

/**
 * Transforms the grid to the minlex form of its clues.
 * @param {Grid} grid
 * @param {AbortSignal} signal
 */
async function minlex(grid, signal) {
  const { sources, names } = await ask("minlex", { grid: { shape: grid.shape, clues: grid.clues } }, signal);
  return remap(grid, grid.clues.map((_, cell) => sources.indexOf(cell)), names);
}
