// @ts-check
// Tools for solving the puzzle by hand: the switch for it, hints in three stages, the check of answers, and the timer.

import { button, counted, elementById, onClicks, setAttributes, setText } from "./dom.js";
import { geometry, wrongAnswers } from "./grid.js";
import { solutionOf } from "./live.js";
import { showError } from "./message.js";
import { Latest } from "./work.js";

/** @typedef {import("./page.js").Page} Page */

/** Connects the tools for solving. @param {Page} page */
export function mountSolver(page) {
  onClicks({ "solving": () => page.set({ isSolving: !page.settings.isSolving }), "hint": () => page.hint() });
  page.follow(["grid", "settings", "overlay", "analysis"], () => {
    const { isSolving } = page.settings;
    setAttributes(elementById("grid-page"), { "data-task": isSolving ? "solve" : "set" });
    setAttributes(button("solving"), { "aria-pressed": String(isSolving) });
    setAttributes(button("hint"), { "data-stage": page.hintStage });
    setText(elementById("hint-text"), isSolving && page.hintStage ? hintText(page) : "");
  });
  mountCheck(page);
  mountTimer(page);
}

/**
 * The text of the hint, up to the stage that the user asked for. At the last stage, the step itself is also shown below.
 * @param {Page} page
 */
function hintText({ analysis, grid, hintStage }) {
  if (grid.shape !== "3x3") return "Hints are for 9×9 grids.";
  if (analysis.verdict === "none") return "No hint: a digit is wrong. Check shows which.";
  if (analysis.verdict === "multiple") return "No hint: the grid has several solutions.";
  if (!analysis.step || analysis.stale.has("step")) return "…";
  const [step] = analysis.step.steps;
  if (!step) return `No hint: ${analysis.step.note ?? "no technique finds anything here"}.`;
  const [cell] = step.placed ?? step.removed[0];
  const houses = geometry(grid.shape).houses.filter(({ cells }) => cells.includes(cell));
  const place = step.houses[0] ?? houses[houses.length - 1].name;
  return `Look at ${place}${hintStage > 1 ? `: ${step.name}` : ""}.`;
}

/** Compares the answers with the solution of the clues, on request. @param {Page} page */
function mountCheck(page) {
  const latest = new Latest();
  const say = (/** @type {string} */ text) => setText(elementById("check-text"), text);

  async function check() {
    const solution = await solutionOf(page.grid, latest.begin());
    if (!solution) return say("Answers can't be checked: the clues do not have exactly one solution.");
    const wrong = wrongAnswers(page.grid, solution, (digit) => page.write(digit));
    page.showWrong(wrong);
    say(wrong.length ? `${counted(wrong.length, "answer")} ${wrong.length === 1 ? "is" : "are"} wrong.` : "No answer is wrong.");
  }

  button("check").addEventListener("click", () => check().catch(showError));
  page.on(["grid", "settings"], () => {
    latest.stop();
    say("");
  });
}

/** Measures the time for a puzzle while the page is visible, from the load or the first key to the solution. @param {Page} page */
function mountTimer(page) {
  let state = "idle";
  let puzzle = "";
  let [elapsed, seen, hasBegun, isDone] = [0, 0, false, false];

  function look() {
    const now = performance.now();
    if (state === "running") elapsed += now - seen;
    seen = now;
    const isPaused = document.hidden || elementById("grid-page").hidden || !page.settings.isSolving;
    state = isDone ? "solved" : !hasBegun ? "idle" : isPaused ? "paused" : "running";
    const seconds = Math.floor(elapsed / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    setAttributes(elementById("timer"), { "data-state": state, "data-seconds": seconds });
    elementById("timer").hidden = !page.settings.isTimeShown;
    setText(elementById("timer"), time);
    setText(elementById("congratulation"), isDone && page.isSolved ? `Solved in ${time}. Well done!` : "");
  }

  function begin() {
    hasBegun ||= page.settings.isSolving && page.grid.clues.some(Boolean) && !page.isSolved;
    look();
  }

  page.on("grid", ({ isLoad }) => {
    const now = `${page.grid.shape} ${page.grid.clues}`;
    if (isLoad || puzzle !== now) {
      [elapsed, hasBegun, isDone] = [0, false, false];
      begin();
    }
    puzzle = now;
    isDone ||= hasBegun && page.settings.isSolving && page.isSolved;
    look();
  });
  document.addEventListener("visibilitychange", look);
  for (const kind of ["keydown", "pointerdown"]) for (const id of ["board", "pad"]) elementById(id).addEventListener(kind, begin);
  setInterval(look, 1000);
  page.follow("settings", look);
}
