// @ts-check
// Transformations of the grid: rotated, mirrored, with other digits, and in its minlex form.

import { ask } from "./api.js";
import { button, dialog, select } from "./dom.js";
import { digitsOf, moved, remap, renamed } from "./grid.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./grid.js").Grid} Grid */

/**
 * Connects the dialog that transforms the grid. It closes after each transformation.
 * @param {Page} page
 */
export function mountTransform(page) {
  const window = dialog("transform-dialog");
  const [first, second] = [select("transform-first"), select("transform-second")];
  const put = (/** @type {Grid} */ grid) => {
    window.close();
    page.put(grid);
  };
  button("transform").addEventListener("click", () => {
    const digits = Array.from({ length: page.geometry.side }, (_, place) => place + 1);
    for (const list of [first, second]) list.replaceChildren(...digits.map((digit) => new Option(page.write(digit), String(digit))));
    second.value = "2";
    window.showModal();
  });
  for (const choice of window.querySelectorAll("[data-move]")) {
    const move = /** @type {import("./grid.js").Move} */ (choice.getAttribute("data-move"));
    choice.addEventListener("click", () => put(moved(page.grid, move)));
  }
  button("transform-renumber").addEventListener("click", () => put(renumbered(page.grid, page.geometry.side)));
  button("transform-swap").addEventListener("click", () => put(swapped(page.grid, page.geometry.side, Number(first.value), Number(second.value))));
  button("transform-minlex").addEventListener("click", async () => {
    window.close();
    try {
      put(await minlex(page.grid, page.expect().signal));
    } catch (error) {
      page.fail(error);
    }
  });
}

/**
 * Renumbers the digits in the order of their first appearance.
 * @param {Grid} grid
 * @param {number} side
 */
function renumbered(grid, side) {
  const order = new Set(digitsOf(grid).filter(Boolean));
  for (let digit = 1; digit <= side; digit += 1) order.add(digit);
  const names = [0];
  [...order].forEach((digit, place) => (names[digit] = place + 1));
  return renamed(grid, names);
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
  /** @type {number[]} */
  const cells = [];
  sources.forEach((/** @type {number} */ source, /** @type {number} */ place) => (cells[source] = place));
  return remap(grid, cells, names);
}
