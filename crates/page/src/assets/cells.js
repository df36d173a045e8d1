// @ts-check
// The look of each cell, from the grid, what is known of it, and the step that is shown.

import { candidatesOf, cellName } from "./grid.js";

/**
 * @typedef {import("./page.js").Page} Page
 * @typedef {{digit: number, text: string, look: string, solutions: number | null, title: string}} Mark
 * @typedef {{digit: number, text: string, kind: string, label: string, isSelected: boolean, isCursor: boolean,
 *   isConflict: boolean, isWrong: boolean, isRedundant: boolean, isHouse: boolean, isPattern: boolean, isChanged: boolean, marks: Mark[]}} Look
 */

/**
 * Returns the look of all cells.
 * @param {Page} page
 * @returns {Look[]}
 */
export function looksOf(page) {
  const { grid, settings, analysis, shownSolution } = page;
  const shape = page.geometry;
  const step = shownStep(page);
  const pattern = new Set(step?.pattern.map(([cell]) => cell));
  const houses = new Set(step?.house_cells.flat());
  const conflicts = new Set(page.contradictions.flatMap(({ cells }) => cells));
  const redundant = new Set(settings.isRedundantWanted ? analysis.redundant?.cells : []);
  const marks = marksOf(page, step);
  return grid.clues.map((clue, cell) => {
    const answer = shownSolution ? shownSolution[cell] : grid.entries[cell];
    const digit = clue || answer;
    const kind = clue ? "clue" : !digit ? "open" : shownSolution ? "solution" : "answer";
    const isRepeated = conflicts.has(cell) && !shownSolution;
    const look = {
      digit, kind, text: page.write(digit), label: "",
      isSelected: page.selected.has(cell), isCursor: page.cursor === cell,
      isConflict: isRepeated, isWrong: isRepeated && kind === "answer",
      isRedundant: redundant.has(cell), isHouse: houses.has(cell), isPattern: pattern.has(cell),
      isChanged: page.changedCells.has(cell) && kind === "solution",
      marks: digit ? [] : marks[cell],
    };
    look.label = label(cellName(shape, cell), look);
    return look;
  });
}

/**
 * Returns the step that is shown on the grid.
 * @param {Page} page
 */
export function shownStep(page) {
  return page.settings.isStepShown && !page.shownSolution ? page.step : undefined;
}

/**
 * Returns a cell in words, for those who hear it.
 * @param {string} name
 * @param {Look} look
 */
function label(name, look) {
  const { text, kind, marks } = look;
  const words = [`${name}: ${kind === "open" ? "empty" : `${text}, ${kind}`}`];
  if (look.isConflict) words.push("in a contradiction");
  if (look.isRedundant) words.push("redundant");
  if (look.isPattern) words.push("in the pattern of the step");
  if (marks.length) words.push(`candidates ${marks.map((mark) => (mark.title ? `${mark.text} (${mark.title})` : mark.text)).join(" ")}`);
  return words.join(", ");
}

/**
 * Returns the candidates to show in each cell.
 * @param {Page} page
 * @param {import("./page.js").Step | undefined} step
 * @returns {Mark[][]}
 */
function marksOf(page, step) {
  const { grid, settings, analysis } = page;
  const isTrue = settings.marks === "true";
  const known = isTrue ? analysis.candidates : null;
  const byRules = candidatesOf(grid);
  const looks = stepLooks(step);
  return grid.clues.map((_, cell) => {
    /** @type {Map<number, Mark>} */
    const marks = new Map();
    /** @param {number} digit @param {string} look @param {number | null} solutions @param {string} title */
    const add = (digit, look, solutions, title) => marks.set(digit, { digit, text: page.write(digit), look, solutions, title });
    known?.solutions[cell].forEach((solutions, place) => {
      if (solutions) add(place + 1, solutions === 1 && known.cap > 1 ? "one" : "", solutions, howMany(solutions, known.cap));
    });
    const isInStep = looks[cell] !== undefined;
    if (settings.marks === "rules" || (isInStep && !isTrue)) byRules[cell].forEach((digit) => add(digit, "", null, ""));
    looks[cell]?.forEach((look, digit) => add(digit, look, marks.get(digit)?.solutions ?? null, words[look]));
    return [...marks.values()].sort((a, b) => a.digit - b.digit);
  });
}

/** @type {Record<string, string>} */
const words = { pattern: "pattern", removed: "goes", placed: "is placed" };

/**
 * Returns the number of solutions of a candidate, in words.
 * @param {number} solutions
 * @param {number} cap
 */
export function howMany(solutions, cap) {
  if (solutions >= cap) return cap === 1 ? "in some solution" : `${cap} solutions or more`;
  return solutions === 1 ? "1 solution" : `${solutions} solutions`;
}

/**
 * Returns how the candidates of a step look, by cell.
 * @param {import("./page.js").Step | undefined} step
 * @returns {Map<number, string>[]}
 */
function stepLooks(step) {
  /** @type {Map<number, string>[]} */
  const looks = [];
  /** @param {[number, number]} candidate @param {string} look */
  const add = ([cell, digit], look) => (looks[cell] ??= new Map()).set(digit, look);
  step?.pattern.forEach((candidate) => add(candidate, "pattern"));
  step?.removed.forEach((candidate) => add(candidate, "removed"));
  if (step?.placed) add(step.placed, "placed");
  return looks;
}
