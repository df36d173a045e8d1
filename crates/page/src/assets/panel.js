// @ts-check
// What is known of the grid: verdict, count, rating, candidates, redundant clues.

import { howMany } from "./cells.js";
import { box, element, input, mark, select, setText } from "./dom.js";
import { digitsOf } from "./grid.js";
import { candidateCap } from "./page.js";
import { counted, duration, number } from "./words.js";

/** @typedef {import("./page.js").Page} Page */

/** Milliseconds of rest before the verdict is said aloud. */
const REST = 800;

/**
 * Shows what is known, and the settings.
 * @param {Page} page
 */
export function mountPanel(page) {
  mountSettings(page);
  page.on("grid", () => drawAll(page));
  page.on("settings", () => drawAll(page));
  page.on("selection", () => drawCandidates(page));
  page.on("analysis", (part) => (part === "count" ? drawVerdict(page) : part === "step" || drawAll(page)));
  drawAll(page);
}

/** @param {Page} page */
function drawAll(page) {
  drawVerdict(page);
  drawRating(page);
  drawRedundant(page);
  drawCandidates(page);
}

/** @param {Page} page */
function drawVerdict(page) {
  const { analysis } = page;
  const { verdict, solutions, isFinal, isCapped } = analysis;
  const isWaiting = verdict === "waiting";
  mark(box("verdict"), { "data-verdict": verdict });
  if (!isWaiting) setText(box("verdict-text"), verdictText(page));
  mark(box("count"), { "data-solutions": solutions ?? "", "data-final": String(isFinal), "data-capped": String(isCapped) });
  if (!isWaiting) setText(box("count"), countText(analysis));
  setText(box("engine-time"), analysis.nanoseconds === null || isWaiting ? "" : `verdict in ${duration(analysis.nanoseconds)}`);
  drawContradictions(page);
  if (!isWaiting) announce(page);
}

/** @param {Page} page */
function verdictText({ analysis, grid, contradictions }) {
  switch (analysis.verdict) {
    case "none":
      return contradictions.length ? "Contradiction" : "No solution";
    case "unique":
      return digitsOf(grid).every(Boolean) ? "Solved" : "Unique";
    case "multiple":
      return "Not unique";
    default:
      return "";
  }
}

/** @param {import("./live.js").Analysis} analysis */
function countText({ solutions, isFinal, isCapped }) {
  const found = solutions ?? 0;
  if (!isFinal) return `${counted(found, "solution")} so far`;
  return isCapped ? `${counted(found, "solution")} or more` : counted(found, "solution");
}

/** @param {Page} page */
function drawContradictions({ contradictions }) {
  const list = box("conflicts");
  const words = contradictions.map((contradiction) => contradiction.words);
  if (contradictions.some(({ isWrong }) => isWrong)) words.push(`${words.pop()}. “Clear answers” leads back to the clues.`);
  list.hidden = !words.length;
  const shown = [...list.children].map((item) => item.textContent);
  if (shown.join() !== words.join()) list.replaceChildren(...words.map((text) => element("li", {}, text)));
}

let timer = 0;
/** What was said, or will be. */
let said = "";
/** @type {object | null} the analysis that it is of */
let subject = null;

/**
 * Says the verdict and the count aloud, when they are final and the digits did not change for a while.
 * @param {Page} page
 */
function announce(page) {
  const { analysis } = page;
  const text = analysis.isFinal ? `${verdictText(page)}. ${countText(analysis)}` : "";
  if (subject === analysis && said === text) return;
  [subject, said] = [analysis, text];
  clearTimeout(timer);
  if (!text) return;
  timer = window.setTimeout(() => page.analysis === analysis && setText(box("announcement"), text), REST);
}

/** @param {Page} page */
function drawRating({ analysis, settings, grid }) {
  const { rating } = analysis;
  const row = box("rating");
  mark(row, { "data-er": rating?.er ?? "", "data-ep": rating?.ep ?? "", "data-ed": rating?.ed ?? "" });
  row.hidden = !settings.isRatingWanted || grid.shape !== "3x3";
  setText(box("rating-text"), rating ? ratingText(rating) : "");
  setText(box("rating-more"), rating ? ratingMore(rating) : absence(analysis, "rating"));
}

/**
 * Returns why a detail of the clues is not there.
 * @param {import("./live.js").Analysis} analysis
 * @param {import("./live.js").Want} want
 */
function absence({ verdict, asked }, want) {
  if (verdict === "waiting") return "";
  return verdict === "unique" && asked.has(want) ? "…" : "known when the clues have one solution";
}

/** @param {NonNullable<import("./live.js").Analysis["rating"]>} rating */
function ratingText({ er, at_least }) {
  return at_least === null ? (er ?? 0).toFixed(1) : `at least ${at_least.toFixed(1)}: no technique goes on`;
}

/** @param {NonNullable<import("./live.js").Analysis["rating"]>} rating */
function ratingMore({ ep, ed, hardest, scale }) {
  const parts = [hardest?.replaceAll("-", " "), ep !== null && `ep ${ep.toFixed(1)}`, ed !== null && `ed ${ed.toFixed(1)}`, `scale ${scale}`];
  return parts.filter(Boolean).join(" · ");
}

/** @param {Page} page */
function drawRedundant({ analysis, settings }) {
  const { redundant } = analysis;
  const row = box("redundant");
  row.hidden = !settings.isRedundantWanted;
  mark(row, { "data-redundant": redundant ? redundant.cells.length : "" });
  setText(box("redundant-text"), redundant ? redundantText(redundant) : absence(analysis, "redundant"));
  mark(box("redundant-text"), { class: redundant ? null : "fine" });
  box("redundant-legend").hidden = !redundant?.cells.length;
}

/** @param {NonNullable<import("./live.js").Analysis["redundant"]>} redundant */
function redundantText({ cells, is_doubtful }) {
  const doubt = is_doubtful ? ", perhaps more" : "";
  if (!cells.length) return is_doubtful ? "none found" : "none: the puzzle is minimal";
  return `${number(cells.length)}${doubt}: each alone could go`;
}

/** @param {Page} page */
function drawCandidates(page) {
  const { analysis, settings, cursor, grid } = page;
  const isTrue = settings.marks === "true";
  box("candidate-cap-label").hidden = !isTrue;
  box("legend-one").hidden = !isTrue;
  const list = box("candidates");
  const known = isTrue ? analysis.candidates : null;
  const isOpen = !grid.clues[cursor] && !grid.entries[cursor];
  const solutions = known?.solutions[cursor] ?? [];
  const items = solutions.map((found, place) => /** @type {[number, number]} */ ([place + 1, found])).filter(([, found]) => found && isOpen);
  list.hidden = !items.length;
  list.replaceChildren(
    ...items.map(([digit, found]) => {
      const item = element("li", { "data-candidate": digit, "data-solutions": found, "data-look": found === 1 && known?.cap !== 1 ? "one" : null });
      item.append(element("b", {}, page.write(digit)), ` ${howMany(found, known?.cap ?? 1)}`);
      return item;
    }),
  );
}

/** @param {Page} page */
function mountSettings(page) {
  /** @type {[string, (value: string) => object, (settings: import("./page.js").Settings) => string | number][]} */
  const selects = [
    ["cap", (value) => ({ cap: Number(value) }), ({ cap }) => cap],
    ["marks", (marks) => ({ marks }), ({ marks }) => marks],
    ["scale", (scale) => ({ scale }), ({ scale }) => scale],
    ["ties", (ties) => ({ ties }), ({ ties }) => ties],
    ["symbols", (symbols) => ({ symbols }), ({ symbols }) => symbols],
  ];
  for (const [id, change, value] of selects) {
    const list = select(id);
    list.addEventListener("change", () => page.set(change(list.value)));
    page.on("settings", () => (list.value = String(value(page.settings))));
  }
  const cap = input("candidate-cap");
  cap.addEventListener("change", () => page.set({ candidateCap: candidateCap(Number(cap.value)) }));
  page.on("settings", () => (cap.value = String(page.settings.candidateCap)));
  const boxes = /** @type {const} */ ([["redundant-wanted", "isRedundantWanted"], ["rating-wanted", "isRatingWanted"], ["step-shown", "isStepShown"]]);
  for (const [id, key] of boxes) {
    const choice = input(id);
    choice.addEventListener("change", () => page.set({ [key]: choice.checked }));
    page.on("settings", () => (choice.checked = page.settings[key]));
  }
}
