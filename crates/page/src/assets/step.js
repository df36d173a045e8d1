// @ts-check
// The next step, its reason, and its use.

import { box, button, mark, setText } from "./dom.js";
import { digitsOf, withSteps } from "./grid.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Shows the next step, and lets it be applied.
 * @param {Page} page
 */
export function mountStep(page) {
  const turn = (/** @type {number} */ by) => page.showStep((page.stepIndex + by + page.steps.length) % page.steps.length);
  button("step-prev").addEventListener("click", () => turn(-1));
  button("step-next").addEventListener("click", () => turn(1));
  button("step-apply").addEventListener("click", () => page.step && page.put(withSteps(page.grid, [page.step])));
  button("step-apply-all").addEventListener("click", () => page.steps.length && page.put(withSteps(page.grid, page.steps)));
  const draw = () => drawStep(page);
  page.on("grid", draw);
  page.on("settings", draw);
  page.on("analysis", (part) => part !== "count" && draw());
  draw();
}

/** @param {Page} page */
function drawStep(page) {
  const { analysis, steps, step, stepIndex, grid } = page;
  box("step").hidden = grid.shape !== "3x3";
  if (analysis.stale.has("step")) return setEnabled(0);
  mark(box("step"), { "data-technique": step?.technique ?? "", "data-rating": step?.rating ?? "", "data-steps": steps.length });
  box("step-name").hidden = !step;
  setText(box("step-technique"), step ? capital(step.technique.replaceAll("-", " ")) : "");
  setText(box("step-rating"), step ? step.rating.toFixed(1) : "");
  setText(box("step-reason"), step ? capital(step.reason) : absence(page));
  setText(box("step-effect"), step ? effect(page, step) : "");
  box("step-legend").hidden = !step || !page.settings.isStepShown;
  box("links-legend").hidden = !step?.links.length;
  setText(box("step-place"), steps.length > 1 ? `${stepIndex + 1} of ${steps.length}` : "");
  setEnabled(steps.length);
}

/** @param {number} steps */
function setEnabled(steps) {
  box("step-tools").hidden = !steps;
  for (const id of ["step-prev", "step-next"]) button(id).hidden = steps < 2;
  button("step-apply").disabled = !steps;
  button("step-apply-all").hidden = steps < 2;
}

/**
 * Returns why there is no step.
 * @param {Page} page
 */
function absence({ analysis, grid }) {
  if (digitsOf(grid).every(Boolean)) return "Nothing is left to do.";
  if (analysis.verdict === "none") return "There is none: the grid has no solution.";
  if (analysis.verdict === "multiple") return "Comes when the grid has one solution.";
  if (analysis.step) return analysis.step.note ?? "No technique goes on from here.";
  return analysis.asked.has("step") ? "…" : "";
}

/**
 * Returns what a step does, in words.
 * @param {Page} page
 * @param {import("./page.js").Step} step
 */
function effect(page, { placed, removed }) {
  const { side } = page.geometry;
  const name = (/** @type {number} */ cell) => `r${Math.floor(cell / side) + 1}c${(cell % side) + 1}`;
  if (placed) return `So ${name(placed[0])} is ${page.write(placed[1])}.`;
  const digits = [...new Set(removed.map(([, digit]) => digit))].sort((a, b) => a - b);
  const parts = digits.map((digit) => `${page.write(digit)} goes from ${list(removed.filter((pair) => pair[1] === digit).map(([cell]) => name(cell)))}`);
  return `So ${parts.join("; ")}.`;
}

/** @param {string[]} names */
const list = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names[0]);

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
