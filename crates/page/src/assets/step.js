// @ts-check
// The next step, or the selected step of the path: its reason, its effect and its links.

import { LONG, lightLink } from "./board.js";
import { button, byId, element, elementById, onClicks, setAttributes, setText } from "./dom.js";
import { digitsOf, placeName, withSteps } from "./grid.js";
import { focusCursor } from "./keys.js";

/** @typedef {import("./page.js").Page} Page */

/** Shows the next step, and lets the user apply it. @param {Page} page */
export function mountStep(page) {
  const turn = (/** @type {number} */ by) => page.steps.length && page.showStep((page.stepIndex + by + page.steps.length) % page.steps.length);
  onClicks({
    "step-prev": () => turn(-1),
    "step-next": () => turn(1),
    "step-apply": () => page.applyStep(),
    "step-apply-all": () => page.steps.length && page.put(withSteps(page.shownGrid, page.steps)),
  });
  page.follow(["grid", "settings", "overlay"], () => drawStep(page));
  page.on("analysis", (part) => part !== "count" && drawStep(page));
}

/** @param {Page} page */
function drawStep(page) {
  const { analysis, steps, step, stepIndex, grid } = page;
  elementById("step").hidden = grid.shape !== "3x3" || (page.settings.isSolving && !step);
  const isAwaited = isStepAwaited(page);
  enable(steps.length, isAwaited);
  if (analysis.stale.has("step") && !page.shownPath) return;
  setAttributes(elementById("step"), { "data-technique": step?.technique ?? "", "data-rating": step?.rating ?? "", "data-steps": steps.length });
  elementById("step-name").hidden = !step;
  setText(elementById("step-technique"), step?.name ?? "");
  setText(elementById("step-rating"), step ? step.rating.toFixed(1) : "");
  setText(elementById("step-reason"), step ? step.reason.charAt(0).toUpperCase() + step.reason.slice(1) : stepAbsence(page));
  setText(elementById("step-effect"), step ? effect(page, step) : "");
  elementById("step-legend").hidden = !step || !page.settings.isStepShown;
  elementById("links-legend").hidden = !step?.links.length;
  drawLinkList(page);
  setText(elementById("step-place"), steps.length > 1 ? `${stepIndex + 1} of ${steps.length}` : "");
}

/**
 * Lists the links of a chain in words. Pointing at a link highlights it on the grid, because the arrows of a long chain are a
 * tangle.
 * @param {Page} page
 */
function drawLinkList(page) {
  const links = page.step?.links ?? [];
  const { side } = page.geometry;
  const ends = (/** @type {number[]} */ cells) => cells.map((cell) => placeName(side, cell)).join(" or ");
  const says = (/** @type {number[]} */ cells, /** @type {number} */ digit, /** @type {boolean} */ isTrue) =>
    `${page.write(digit)} is ${isTrue ? "in" : "not in"} ${ends(cells)}`;
  const texts = links.map(([from, digit, isTrue, to, other, isOtherTrue]) => `if ${says(from, digit, isTrue)}, then ${says(to, other, isOtherTrue)}`);
  elementById("step-links").hidden = !links.length;
  const list = elementById("step-links-list");
  if (list.dataset.shown === texts.join()) return;
  byId("step-links", HTMLDetailsElement).open = links.length > LONG;
  list.dataset.shown = texts.join();
  const items = texts.map((text, index) => {
    const light = (/** @type {boolean} */ isLit) => () => lightLink(isLit ? index : null);
    return element("li", { tabindex: 0, onpointerenter: light(true), onpointerleave: light(false), onfocus: light(true), onblur: light(false) }, text);
  });
  list.replaceChildren(...items);
}

/** Whether a step is on its way. @param {Page} page */
function isStepAwaited({ analysis, shownPath }) {
  if (shownPath) return false;
  const isAsked = analysis.stale.has("step") || (!analysis.step && analysis.asked.has("step"));
  return isAsked && (analysis.verdict === "waiting" || analysis.verdict === "unique");
}

/**
 * Disables the buttons of the step until the next one arrives. They stay in place, because one of them may have the focus.
 * @param {number} steps
 * @param {boolean} isAwaited
 */
function enable(steps, isAwaited) {
  const focused = document.activeElement;
  setAttributes(elementById("step-tools"), { "aria-busy": isAwaited ? "true" : null });
  for (const id of ["step-apply", "step-apply-all", "step-prev", "step-next"]) setAttributes(button(id), { "aria-disabled": isAwaited ? "true" : null });
  if (isAwaited) return;
  elementById("step-tools").hidden = !steps;
  for (const id of ["step-apply-all", "step-prev", "step-next"]) button(id).hidden = steps < 2;
  // If the focused button is hidden, the focus moves to the next best one.
  if (!focused || !elementById("step-tools").contains(focused) || focused.checkVisibility()) return;
  if (steps) button("step-apply").focus();
  else focusCursor();
}

/** The reason why there is no step. @param {Page} page */
function stepAbsence({ analysis, grid }) {
  if (digitsOf(grid).every(Boolean)) return "Nothing is left to do.";
  if (analysis.verdict === "none") return "No step: the grid has no solution.";
  if (analysis.verdict === "multiple") return "No step: the grid has several solutions.";
  if (analysis.step) return analysis.step.note ?? "No technique finds anything here.";
  return analysis.asked.has("step") ? "…" : analysis.is_stopped ? "Stopped." : "";
}

/** The effect of a step in words, e.g. "So r4c5 is 7." @param {Page} page @param {import("./live.js").Step} step */
export function effect(page, { placed, removed }) {
  const { side } = page.geometry;
  const name = (/** @type {number} */ cell) => placeName(side, cell);
  if (placed) return `So ${name(placed[0])} is ${page.write(placed[1])}.`;
  const digits = [...new Set(removed.map(([, digit]) => digit))].sort((a, b) => a - b);
  const list = new Intl.ListFormat("en-GB");
  const parts = digits.map((digit) => `${page.write(digit)} is removed from ${list.format(removed.filter((pair) => pair[1] === digit).map(([cell]) => name(cell)))}`);
  return `So ${parts.join("; ")}.`;
}
