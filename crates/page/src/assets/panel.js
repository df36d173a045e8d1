// @ts-check
// What is known of the grid: verdict, count, rating, candidates, redundant clues, the next step, and the solutions one by one.

import { isAbort, listen } from "./api.js";
import { howMany, lightLink } from "./board.js";
import { box, button, counted, duration, element, input, mark, number, onClicks, select, setText } from "./dom.js";
import { digitsOf, withAnswers, withSteps } from "./grid.js";
import { focusCursor } from "./keys.js";
import { candidateCap } from "./page.js";

/** @typedef {import("./page.js").Page} Page */

/** Milliseconds of rest before the verdict is said aloud. */
const REST = 800;

/**
 * Shows what is known, and the settings.
 * @param {Page} page
 */
export function mountPanel(page) {
  mountSettings(page);
  mountStep(page);
  mountSolutions(page);
  page.on(["grid", "settings"], () => drawAll(page));
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
  const { verdict, solutions, is_final, is_capped } = analysis;
  const isWaiting = verdict === "waiting";
  mark(box("verdict"), { "data-verdict": verdict });
  if (!isWaiting) setText(box("verdict-text"), verdictText(page));
  mark(box("count"), { "data-solutions": solutions ?? "", "data-final": String(is_final), "data-capped": String(is_capped) });
  if (!isWaiting) setText(box("count"), countText(analysis));
  setText(box("engine-time"), analysis.engine_ns === null || isWaiting ? "" : `verdict in ${duration(analysis.engine_ns)}`);
  drawContradictions(page);
  if (!isWaiting) announce(page);
}

/** @param {Page} page */
function verdictText({ analysis, grid, contradictions }) {
  const words = {
    waiting: "",
    none: contradictions.length ? "Contradiction" : "No solution",
    unique: digitsOf(grid).every(Boolean) ? "Solved" : "Unique",
    multiple: "Not unique",
  };
  return words[analysis.verdict];
}

/** @param {import("./live.js").Analysis} analysis */
function countText({ solutions, is_final, is_capped, is_paused }) {
  const found = solutions ?? 0;
  if (is_paused && !is_final) return `${counted(found, "solution")} so far; other pages count now`;
  if (!is_final) return `${counted(found, "solution")} so far`;
  return is_capped ? `${counted(found, "solution")} or more` : counted(found, "solution");
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
/** The text that was announced, or will be. */
let said = "";
/** @type {object | null} the analysis that it is of */
let subject = null;

/**
 * Says the verdict and the count aloud, when they are final and the digits did not change for a while.
 * @param {Page} page
 */
function announce(page) {
  const { analysis } = page;
  const text = analysis.is_final ? `${verdictText(page)}. ${countText(analysis)}` : "";
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
  for (const key of /** @type {const} */ (["cap", "marks", "scale", "ties", "symbols"])) {
    const list = select(key);
    list.addEventListener("change", () => page.set({ [key]: key === "cap" ? Number(list.value) : list.value }));
    page.on("settings", () => (list.value = String(page.settings[key])));
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

/**
 * Shows the next step, and lets it be applied.
 * @param {Page} page
 */
function mountStep(page) {
  const turn = (/** @type {number} */ by) => page.steps.length && page.showStep((page.stepIndex + by + page.steps.length) % page.steps.length);
  onClicks({
    "step-prev": () => turn(-1),
    "step-next": () => turn(1),
    "step-apply": () => page.applyStep(),
    "step-apply-all": () => page.steps.length && page.put(withSteps(page.grid, page.steps)),
  });
  const draw = () => drawStep(page);
  page.on(["grid", "settings"], draw);
  page.on("analysis", (part) => part !== "count" && draw());
  draw();
}

/** @param {Page} page */
function drawStep(page) {
  const { analysis, steps, step, stepIndex, grid } = page;
  box("step").hidden = grid.shape !== "3x3";
  const isAwaited = isStepAwaited(page);
  if (analysis.stale.has("step")) return isAwaited ? setWaiting() : setEnabled(0);
  mark(box("step"), { "data-technique": step?.technique ?? "", "data-rating": step?.rating ?? "", "data-steps": steps.length });
  box("step-name").hidden = !step;
  setText(box("step-technique"), step ? capital(step.technique.replaceAll("-", " ")) : "");
  setText(box("step-rating"), step ? step.rating.toFixed(1) : "");
  setText(box("step-reason"), step ? capital(step.reason) : stepAbsence(page));
  setText(box("step-effect"), step ? effect(page, step) : "");
  box("step-legend").hidden = !step || !page.settings.isStepShown;
  box("links-legend").hidden = !step?.links.length;
  drawLinkList(page);
  setText(box("step-place"), steps.length > 1 ? `${stepIndex + 1} of ${steps.length}` : "");
  if (isAwaited) setWaiting();
  else setEnabled(steps.length);
}

/**
 * Lists the links of a chain in words. Pointing at one shows it alone on the grid, where a long chain is a knot of arrows.
 * @param {Page} page
 */
function drawLinkList(page) {
  const links = page.step?.links ?? [];
  const { side } = page.geometry;
  const ends = (/** @type {number[]} */ cells) => cells.map((cell) => placeName(side, cell)).join(" or ");
  const says = (/** @type {number[]} */ cells, /** @type {number} */ digit, /** @type {boolean} */ stands) =>
    `${page.write(digit)} is ${stands ? "in" : "not in"} ${ends(cells)}`;
  const texts = links.map(([from, digit, stands, to, other, otherStands]) => `if ${says(from, digit, stands)}, then ${says(to, other, otherStands)}`);
  box("step-links").hidden = !links.length;
  const list = box("step-links-list");
  if (list.dataset.shown === texts.join()) return;
  list.dataset.shown = texts.join();
  const items = texts.map((text, index) => {
    const light = (/** @type {boolean} */ isLit) => () => lightLink(isLit ? index : null);
    return element("li", { tabindex: 0, onpointerenter: light(true), onpointerleave: light(false), onfocus: light(true), onblur: light(false) }, text);
  });
  list.replaceChildren(...items);
}

/**
 * Returns whether a step is on its way.
 * @param {Page} page
 */
function isStepAwaited({ analysis }) {
  const isAsked = analysis.stale.has("step") || (!analysis.step && analysis.asked.has("step"));
  return isAsked && (analysis.verdict === "waiting" || analysis.verdict === "unique");
}

const STEP_BUTTONS = ["step-apply", "step-apply-all", "step-prev", "step-next"];

/** Lets the buttons of the step do nothing until the next one is there. They stay where they are, because one of them may have the focus. */
function setWaiting() {
  mark(box("step-tools"), { "aria-busy": "true" });
  for (const id of STEP_BUTTONS) mark(button(id), { "aria-disabled": "true" });
}

/** @param {number} steps */
function setEnabled(steps) {
  const focused = document.activeElement;
  mark(box("step-tools"), { "aria-busy": null });
  for (const id of STEP_BUTTONS) mark(button(id), { "aria-disabled": null });
  box("step-tools").hidden = !steps;
  for (const id of ["step-apply-all", "step-prev", "step-next"]) button(id).hidden = steps < 2;
  // Where a button goes that has the focus, keys go to the next best.
  if (!focused || !box("step-tools").contains(focused) || focused.checkVisibility()) return;
  if (steps) button("step-apply").focus();
  else focusCursor();
}

/**
 * Returns why there is no step.
 * @param {Page} page
 */
function stepAbsence({ analysis, grid }) {
  if (digitsOf(grid).every(Boolean)) return "Nothing is left to do.";
  if (analysis.verdict === "none") return "There is none: the grid has no solution.";
  if (analysis.verdict === "multiple") return "Comes when the grid has one solution.";
  if (analysis.step) return analysis.step.note ?? "No technique goes on from here.";
  return analysis.asked.has("step") ? "…" : "";
}

/**
 * Returns what a step does, in words.
 * @param {Page} page
 * @param {import("./live.js").Step} step
 */
function effect(page, { placed, removed }) {
  const { side } = page.geometry;
  const name = (/** @type {number} */ cell) => placeName(side, cell);
  if (placed) return `So ${name(placed[0])} is ${page.write(placed[1])}.`;
  const digits = [...new Set(removed.map(([, digit]) => digit))].sort((a, b) => a - b);
  const parts = digits.map((digit) => `${page.write(digit)} goes from ${list(removed.filter((pair) => pair[1] === digit).map(([cell]) => name(cell)))}`);
  return `So ${parts.join("; ")}.`;
}

/**
 * Returns the short name of a cell, such as r4c5.
 * @param {number} side
 * @param {number} cell
 */
const placeName = (side, cell) => `r${Math.floor(cell / side) + 1}c${(cell % side) + 1}`;

/** @param {string[]} names */
const list = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names[0]);

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Lets solutions be looked through.
 * @param {Page} page
 */
function mountSolutions(page) {
  /** @type {Uint8Array[]} */
  let found = [];
  let index = 0;
  let end = "";
  let frame = 0;
  let running = new AbortController();
  const bar = box("solutions");

  function draw() {
    frame = 0;
    mark(bar, { "data-index": index, "data-found": found.length, "data-end": end });
    const all = `${end === "limit" ? "the first " : ""}${number(found.length)}${end ? "" : " so far"}`;
    setText(box("solutions-place"), found.length ? `solution ${number(index + 1)} of ${all}` : end ? "no solution" : "searching…");
    for (const id of ["solutions-first", "solutions-prev"]) button(id).disabled = index <= 0;
    for (const id of ["solutions-next", "solutions-last"]) button(id).disabled = index >= found.length - 1;
    button("solutions-use").disabled = !found.length;
  }

  /** @param {number} next */
  function goTo(next) {
    index = Math.max(0, Math.min(next, found.length - 1));
    if (found[index]) page.showSolution([...found[index]]);
    draw();
  }

  /** @param {any} event */
  function hear(event) {
    if (event.event === "end") end = event.end;
    else if (event.event === "solution") {
      found.push(Uint8Array.from(event.digits));
      if (found.length === 1) return goTo(0);
    }
    frame ||= requestAnimationFrame(draw);
  }

  function begin() {
    running.abort();
    running = new AbortController();
    const own = running;
    [found, index, end] = [[], 0, ""];
    bar.hidden = false;
    draw();
    const question = { grid: page.grid, limit: Number(select("solutions-limit").value) };
    listen("solutions", question, own.signal, (event) => own === running && hear(event)).catch((error) => {
      if (isAbort(error)) return;
      page.fail(error);
      if (own === running) close();
    });
  }

  function close() {
    running.abort();
    bar.hidden = true;
    found = [];
    if (page.shownSolution) page.showSolution(null);
  }

  function use() {
    const solution = found[index];
    close();
    if (solution) page.put(withAnswers(page.grid, solution));
  }

  onClicks({
    "browse": begin,
    "solutions-first": () => goTo(0),
    "solutions-prev": () => goTo(index - 1),
    "solutions-next": () => goTo(index + 1),
    "solutions-last": () => goTo(found.length - 1),
    "solutions-use": use,
    "solutions-close": close,
  });
  select("solutions-limit").addEventListener("change", begin);
  page.on("grid", () => !bar.hidden && close());
}
