// @ts-check
// A person who solves the puzzle: the switch to that, the time, hints in three stages, the check of answers.

import { isAbort, listen } from "./api.js";
import { box, button, counted, mark, onClicks, setText } from "./dom.js";
import { digitsOf, geometry, wholeGrid, wrongAnswers } from "./grid.js";
import { LAST_STAGE } from "./page.js";

/**
 * @typedef {import("./page.js").Page} Page
 * @typedef {"idle" | "running" | "paused" | "solved"} TimerState
 */

/**
 * Lets the puzzle be solved.
 * @param {Page} page
 */
export function mountSolver(page) {
  onClicks({
    "solving": () => page.set({ isSolving: !page.settings.isSolving }),
    "hint": () => page.hint(),
  });
  const draw = () => {
    const { isSolving } = page.settings;
    mark(box("grid-page"), { "data-task": isSolving ? "solve" : "set" });
    mark(button("solving"), { "aria-pressed": String(isSolving) });
  };
  page.on("settings", draw);
  page.on(["grid", "settings", "hint", "analysis"], () => drawHint(page));
  draw();
  mountCheck(page);
  mountTimer(page);
}

/** @param {Page} page */
function drawHint(page) {
  const stage = page.settings.isSolving ? page.hintStage : 0;
  mark(button("hint"), { "data-stage": stage });
  setText(box("hint-text"), stage ? hintText(page, stage) : "");
}

/**
 * Returns a hint in words. The last stage is the step itself.
 * @param {Page} page
 * @param {number} stage
 */
function hintText({ analysis, grid }, stage) {
  if (grid.shape !== "3x3") return "Hints are for 9×9 grids.";
  if (analysis.verdict === "none") return "No hint: a digit is wrong. Check shows which.";
  if (analysis.verdict === "multiple") return "No hint: the grid has several solutions.";
  if (!analysis.step || analysis.stale.has("step")) return "…";
  const [step] = analysis.step.steps;
  if (!step) return analysis.step.note ? "No hint: a candidate was taken out that the solution needs." : "No hint: no technique goes on from here.";
  const place = step.houses[0] ?? houseOf((step.placed ?? step.removed[0])[0]);
  if (stage === 1) return `Look at ${place}.`;
  return stage < LAST_STAGE ? `Look at ${place}: ${step.name}.` : `${step.name}:`;
}

/**
 * Returns the box of a cell.
 * @param {number} cell
 */
const houseOf = (cell) => geometry("3x3").houses.find(({ name, cells }) => name.startsWith("box") && cells.includes(cell))?.name ?? "";

/**
 * Compares answers with the solution of the clues, when asked to.
 * @param {Page} page
 */
function mountCheck(page) {
  let running = new AbortController();
  const say = (/** @type {string} */ text) => setText(box("check-text"), text);

  async function check() {
    running.abort();
    running = new AbortController();
    const { grid } = page;
    /** @type {number[] | null} */
    let solution = null;
    const question = { grid: wholeGrid({ shape: grid.shape, clues: grid.clues }), cap: 2, candidate_cap: 1, wants: [] };
    await listen("analyse", question, running.signal, (event) => event.event === "solution" && (solution = event.digits));
    if (!solution) return say("The clues do not have one solution, with which answers could be compared.");
    const wrong = wrongAnswers(grid, solution, (digit) => page.write(digit));
    page.showWrong(wrong);
    say(wrong.length ? `${counted(wrong.length, "answer")} ${wrong.length === 1 ? "is" : "are"} wrong.` : "No answer is wrong.");
  }

  button("check").addEventListener("click", () => check().catch((error) => isAbort(error) || page.fail(error)));
  page.on(["grid", "settings"], () => {
    running.abort();
    say("");
  });
}

/**
 * Measures the time of a puzzle, from its load or its first key to its solution, while the page is seen.
 * @param {Page} page
 */
function mountTimer(page) {
  /** @type {TimerState} */
  let state = "idle";
  let before = 0;
  let begun = 0;
  let puzzle = "";
  const seconds = () => Math.floor((before + (state === "running" ? performance.now() - begun : 0)) / 1000);

  /** @param {TimerState} next */
  function turn(next) {
    if (next === state) return;
    if (state === "running") before += performance.now() - begun;
    if (next === "running") begun = performance.now();
    state = next;
    draw();
  }

  function draw() {
    const time = `${Math.floor(seconds() / 60)}:${String(seconds() % 60).padStart(2, "0")}`;
    mark(box("timer"), { "data-state": state, "data-seconds": seconds() });
    box("timer").hidden = !page.settings.isTimeShown;
    setText(box("timer"), time);
    setText(box("congratulation"), state === "solved" && page.isSolved ? `Solved in ${time}. Well done!` : "");
  }

  /** Runs where a puzzle is there to be solved. */
  function start() {
    const isThere = page.settings.isSolving && page.grid.clues.some(Boolean) && !page.isSolved;
    if (isThere && state !== "solved") turn(document.hidden ? "paused" : "running");
  }

  page.on("grid", () => {
    const { shape, clues } = page.grid;
    const isOther = puzzle !== `${shape} ${clues}`;
    if (isOther) {
      turn("idle");
      before = 0;
      puzzle = `${shape} ${clues}`;
    }
    if (state === "running" && page.isSolved) turn("solved");
    else if (isOther || digitsOf(page.grid).some((digit, cell) => digit !== clues[cell])) start();
    draw();
  });
  page.on("settings", () => {
    if (!page.settings.isSolving && state === "running") turn("paused");
    else if (state === "paused") start();
    draw();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && state === "running") turn("paused");
    else if (!document.hidden && state === "paused") start();
  });
  for (const kind of ["keydown", "pointerdown"]) {
    document.addEventListener(kind, ({ target }) => target instanceof Element && target.closest("#board, #pad") && state === "idle" && start());
  }
  setInterval(() => state === "running" && draw(), 1000);
  draw();
}
