// @ts-check
// The state of the page: the grid and its history for undo and redo, the settings, the selection, and the step or solution that is
// shown. Other modules register functions here (`on`), which are called when a part of the state changes.

import { digitsOf, emptyGrid, eraseOwn, fill, gaps, geometry, isEqual, orbitOf, repeats, toggleMarks, withSteps, wrongAnswers } from "./grid.js";
import { chosen, Live, solutionOf } from "./live.js";
import { showError } from "./message.js";
import { symbol } from "./symbols.js";
import { Latest } from "./work.js";

/**
 * @typedef {import("./grid.js").Grid} Grid
 * @typedef {import("./live.js").Want} Want
 * @typedef {import("./live.js").Step} Step
 * @typedef {{file: string, number: number, row: number}} Origin
 * @typedef {{grid: Grid, origin: Origin | null}} Snapshot
 * @typedef {{past: Snapshot[], now: Snapshot, future: Snapshot[]}} History
 * @typedef {{cap: number, candidateCap: number, scale: string, ties: string, symbols: import("./symbols.js").Symbols, symmetry: string,
 *   marks: string, isRedundantWanted: boolean, isRatingWanted: boolean, isStepShown: boolean,
 *   isSolving: boolean, areRepeatsShown: boolean, isTimeShown: boolean}} Settings
 * @typedef {"clues" | "answers" | import("./grid.js").MarkKind} Mode
 * @typedef {"grid" | "selection" | "settings" | "analysis" | "mode" | "solution" | "overlay"} Topic
 * @typedef {{isLoad?: boolean, isFromAddress?: boolean, origin?: Origin | null}} How
 */

const SETTINGS = "gridmill";

/** The number of states that undo can go back to. */
const DEPTH = 2000;

/** @type {Settings} */
export const USUAL = {
  cap: 1_000_000, candidateCap: 8, scale: "sukaku", ties: "minlex", symbols: "1-9A-G", symmetry: "none",
  marks: "off", isRedundantWanted: true, isRatingWanted: true, isStepShown: true,
  isSolving: false, areRepeatsShown: true, isTimeShown: true,
};

/** The ways to type, for setters and for solvers. @type {{set: Mode[], solve: Mode[]}} */
const MODES = { set: ["clues", "answers"], solve: ["answers", "corner", "centre", "colours"] };

/** The stage of a hint that shows the whole step. */
const LAST_STAGE = 3;

/** The limits of a count that the page offers; 0 counts all. The page has an option for each of them. */
const CAPS = [1000, 100_000, 1_000_000, 100_000_000];

/**
 * Raises a limit to the next one that the page offers, because an address may have any number, e.g. 5000 becomes 100,000.
 * @param {number} wanted
 */
export const countCap = (wanted) => wanted === 0 ? 0 : (CAPS.find((cap) => cap >= wanted) ?? CAPS[CAPS.length - 1]);

/**
 * Puts the limit for the solutions of a candidate into the range from 1 to 1,000,000, e.g. 0 becomes 1.
 * @param {number} wanted
 */
export const candidateCap = (wanted) => Math.min(Math.max(Math.trunc(wanted) || 1, 1), 1_000_000);

/** The settings of the last visit, or the usual ones if the browser keeps none. @returns {Settings} */
function kept() {
  try {
    const settings = { ...USUAL, ...JSON.parse(localStorage.getItem(SETTINGS) ?? "{}") };
    return { ...settings, cap: countCap(Number(settings.cap)) };
  } catch {
    return USUAL;
  }
}

export class Page {
  /** @type {History} */
  history = { past: [], now: { grid: emptyGrid("3x3"), origin: null }, future: [] };
  /** The settings that the user chose. They are kept for the next visit. */
  #own = kept();
  /** The settings in effect: the user's own, except those that an address sets. @type {Settings} */
  settings = this.#own;
  /** The cell that receives keys. */
  cursor = 0;
  /** @type {Set<number>} */
  selected = new Set([0]);
  /** The way to type. */
  mode = this.modes[0];
  /** The digit that the user picked to highlight everywhere; 0 for the digit of the cursor. */
  #picked = 0;
  /** How much of the next step a solver has asked for: 0 nothing, 1 its house, 2 its technique, 3 all of it. */
  hintStage = 0;
  /** @type {{grid: Grid, step: Step} | null} the step of the path that is shown, with the grid before that step */
  shownPath = null;
  /** The index of the step that is shown, because several steps can be found at once. */
  stepIndex = 0;
  /** @type {number[] | null} the solution that is shown in place of the answers, while the user browses solutions */
  shownSolution = null;
  /** @type {Set<number>} the cells where it differs from the previous one */
  changedCells = new Set();
  /** @type {import("./grid.js").Contradiction[]} */
  contradictions = [];
  live = new Live((part) => this.#hear(part), (error) => showError(error, "analysis"));
  /** The request for another grid. It is aborted if the grid changes, so that a late answer never replaces newer work. */
  gridRequest = new Latest();
  #areRepeated = false;
  /** @type {Map<Topic, ((how: any) => void)[]>} */
  #listeners = new Map();
  /** The search for the reason of a contradiction. */
  #check = new Latest();

  get grid() {
    return this.history.now.grid;
  }

  get origin() {
    return this.history.now.origin;
  }

  get geometry() {
    return geometry(this.grid.shape);
  }

  get analysis() {
    return this.live.analysis;
  }

  /** The grid that is shown. With a step of the path, it is the grid before that step. */
  get shownGrid() {
    return this.shownPath?.grid ?? this.grid;
  }

  get modes() {
    return MODES[this.settings.isSolving ? "solve" : "set"];
  }

  /**
   * The kind of candidates that are shown. While you solve, true candidates (those that occur in some solution) are never
   * offered, because they would give too much away.
   */
  get marks() {
    const { isSolving, marks } = this.settings;
    return isSolving && marks === "true" ? "off" : marks;
  }

  /** The digit to highlight everywhere; 0 for none. */
  get highlight() {
    if (!this.settings.isSolving) return 0;
    return this.#picked || (this.selected.has(this.cursor) ? digitsOf(this.grid)[this.cursor] : 0);
  }

  /** Whether every cell has a digit, and no digit repeats in a house. By the rules, the grid is then a solution. */
  get isSolved() {
    return digitsOf(this.grid).every(Boolean) && !repeats(this.grid, String).length;
  }

  /** The steps that can be shown and applied. A solver gets none before the last stage of the hint. */
  get steps() {
    if (this.shownPath) return [this.shownPath.step];
    if (this.settings.isSolving && this.hintStage < LAST_STAGE) return [];
    const { step, stale } = this.analysis;
    return step && !stale.has("step") ? step.steps : [];
  }

  /** @returns {Step | undefined} */
  get step() {
    return this.shownPath?.step ?? this.steps[this.stepIndex];
  }

  /**
   * @param {Topic | Topic[]} topics
   * @param {(how: any) => void} hear
   */
  on(topics, hear) {
    for (const topic of [topics].flat()) this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), hear]);
  }

  /**
   * Calls a function now, and when one of these parts changes.
   * @param {Topic | Topic[]} topics
   * @param {() => void} draw
   */
  follow(topics, draw) {
    this.on(topics, draw);
    draw();
  }

  /**
   * @param {Topic} topic
   * @param {any} [how]
   */
  tell(topic, how = {}) {
    this.#listeners.get(topic)?.forEach((hear) => hear(how));
  }

  /** @param {number} digit */
  write(digit) {
    return symbol(digit, this.geometry.side, this.settings.symbols);
  }

  /**
   * Puts a digit into the selected cells; 0 clears them. Clearing clues also clears their partners by the symmetry. If a solver has
   * selected only clues, there is nothing to fill, so the digit is highlighted everywhere instead.
   * @param {number} digit
   * @param {Mode} [mode]
   */
  type(digit, mode = this.mode) {
    const { grid, selected, geometry } = this;
    const { isSolving, symmetry } = this.settings;
    const cells = selected.size ? [...selected] : [this.cursor];
    const partners = mode === "clues" && !digit ? cells.flatMap((cell) => orbitOf(symmetry, cell, geometry.side)) : cells;
    if (isSolving && digit && mode !== "colours" && [...selected].every((cell) => grid.clues[cell])) {
      this.#picked = this.#picked === digit ? 0 : digit;
      this.tell("overlay");
    } else if (isSolving && !digit) this.put(eraseOwn(grid, cells));
    else if (mode === "clues" || mode === "answers") this.put(fill(grid, partners, digit, mode === "clues"));
    else this.put(toggleMarks(grid, cells, mode, digit));
  }

  /** Applies the step that is shown. Returns false if there is none. */
  applyStep() {
    const { step } = this;
    if (step) this.put(withSteps(this.shownGrid, [step]));
    return step !== undefined;
  }

  /** Shows a solver the next stage of the hint. The first one asks the server for the step. */
  hint() {
    if (!this.settings.isSolving) return;
    if (!this.hintStage) this.live.start(this.grid, { ...this.settings, cap: 2 }, chosen({ candidates: false, redundant: false, rating: false, step: true }));
    this.hintStage = Math.min(this.hintStage + 1, LAST_STAGE);
    this.tell("overlay");
  }

  /** Marks wrong answers until the grid changes. @param {import("./grid.js").Contradiction[]} wrong */
  showWrong(wrong) {
    this.contradictions = [...this.contradictions.filter(({ isWrong }) => !isWrong), ...wrong];
    this.tell("overlay");
  }

  /**
   * Shows a step of the path on the grid before it; null shows the present grid again.
   * @param {{grid: Grid, step: Step} | null} shown
   */
  showPath(shown) {
    this.shownPath = shown;
    this.tell("overlay");
  }

  /**
   * Begins with a grid and no history, so there is nothing to undo.
   * @param {Grid} grid
   * @param {Partial<Settings>} settings
   */
  begin(grid, settings) {
    this.history = { past: [], now: { grid, origin: null }, future: [] };
    this.settings = { ...this.settings, ...settings };
    this.mode = this.modes[0];
    this.analyse(null);
    this.tell("grid", { isFromAddress: true });
    this.tell("settings");
  }

  /**
   * Replaces the grid, and remembers the previous one for undo. A loaded grid also gets an entry in the history of the browser.
   * @param {Grid} grid
   * @param {How} [how]
   */
  put(grid, how = {}) {
    const { past, now } = this.history;
    const origin = how.origin === undefined ? (how.isLoad ? null : now.origin) : how.origin;
    if (JSON.stringify(now.grid) === JSON.stringify(grid) && now.origin?.row === origin?.row) return;
    this.#move({ past: [...past, now].slice(-DEPTH), now: { grid, origin }, future: [] }, how);
  }

  /**
   * Records where the grid comes from.
   * @param {Origin | null} origin
   */
  setOrigin(origin) {
    this.history.now.origin = origin;
    this.tell("grid");
  }

  undo() {
    const { past, now, future } = this.history;
    if (past.length) this.#move({ past: past.slice(0, -1), now: past[past.length - 1], future: [now, ...future] }, {});
  }

  redo() {
    const { past, now, future } = this.history;
    if (future.length) this.#move({ past: [...past, now], now: future[0], future: future.slice(1) }, {});
  }

  /**
   * @param {History} next
   * @param {How} how
   */
  #move(next, how) {
    const before = this.grid;
    this.gridRequest.stop();
    this.history = next;
    this.hintStage = 0;
    this.shownPath = null;
    if (before.shape !== this.grid.shape) {
      this.cursor = 0;
      this.selected = new Set([0]);
    }
    this.analyse(before);
    this.tell("grid", how);
  }

  /**
   * Asks for all that a change has made unknown. Other digits need a new analysis; other clues or removed candidates need only some
   * details.
   * @param {Grid | null} before
   */
  analyse(before) {
    const { grid, settings } = this;
    const isNew = !before || before.shape !== grid.shape || !isEqual(digitsOf(before), digitsOf(grid));
    if (isNew || settings.isSolving) return this.#begin();
    /** @type {Want[]} */
    const missed = isEqual(before.clues, grid.clues) ? [] : ["redundant", "rating"];
    if (JSON.stringify(before.removed) !== JSON.stringify(grid.removed)) missed.push("step");
    this.more(missed);
  }

  /** Starts the analysis. While the user solves the puzzle, only repeated digits are found, if the user wants them. */
  #begin() {
    const { grid, settings } = this;
    this.stepIndex = 0;
    this.hintStage = 0;
    this.shownSolution = null;
    this.contradictions = settings.isSolving && !settings.areRepeatsShown ? [] : repeats(grid, (digit) => this.write(digit));
    this.#areRepeated = this.contradictions.length > 0;
    this.#check.stop();
    if (settings.isSolving) this.live.askNothing();
    // The grid then has no solution, which needs no question.
    else if (this.#areRepeated) this.live.askNothing({ verdict: "none", solutions: 0, is_final: true });
    else this.live.start(grid, settings, this.wants());
  }

  /** The details that the settings ask for. */
  wants() {
    const { marks, isRedundantWanted, isRatingWanted } = this.settings;
    const is9x9 = this.grid.shape === "3x3";
    return chosen({ candidates: marks === "true", redundant: isRedundantWanted, rating: isRatingWanted && is9x9, step: is9x9 });
  }

  /**
   * Asks for details again, e.g. after a change of the scale. The digits are the same, so the solutions are not counted again.
   * @param {Want[]} wants
   */
  more(wants) {
    const wanted = wants.filter((want) => this.wants().includes(want));
    if (wanted.includes("step")) this.stepIndex = 0;
    if (wanted.length && !this.#areRepeated && !this.settings.isSolving) this.live.more(this.grid, this.settings, wanted);
  }

  /**
   * Changes a setting for the user, and keeps it for the next visit.
   * @param {Partial<Settings>} change
   */
  set(change) {
    this.#own = { ...this.#own, ...change };
    try {
      localStorage.setItem(SETTINGS, JSON.stringify(this.#own));
    } catch {
      // The browser allows no storage, so the settings hold for this visit only.
    }
    this.setForNow(change);
  }

  /**
   * Changes a setting, and asks for the details that it affects. The setting is not kept, because it may come from an address that
   * another person has sent.
   * @param {Partial<Settings>} change
   */
  setForNow(change) {
    const before = this.settings;
    this.settings = { ...before, ...change };
    const isOther = (/** @type {(keyof Settings)[]} */ ...keys) => keys.some((key) => this.settings[key] !== before[key]);
    const unknown = chosen({
      candidates: isOther("candidateCap", "marks"),
      redundant: isOther("isRedundantWanted"),
      rating: isOther("isRatingWanted", "scale", "ties"),
      step: isOther("scale", "ties"),
    });
    if (isOther("isSolving")) {
      this.shownPath = null;
      this.setMode(this.modes[0]);
    }
    if (isOther("cap", "isSolving", "areRepeatsShown")) this.analyse(null);
    else this.more(unknown);
    this.tell("settings", change);
  }

  /**
   * Moves the cursor to a cell and selects it, alone or in addition to the others.
   * @param {number} cell
   * @param {boolean} [isMore]
   */
  select(cell, isMore = false) {
    this.cursor = cell;
    this.selectAll(isMore ? [...this.selected, cell] : [cell]);
  }

  /** @param {Iterable<number>} cells */
  selectAll(cells) {
    this.#picked = 0;
    this.selected = new Set(cells);
    this.tell("selection");
  }

  /** @param {Mode} mode */
  setMode(mode) {
    if (!this.modes.includes(mode)) return;
    this.mode = mode;
    this.tell("mode");
  }

  /** Switches to the next way to type. */
  turnMode() {
    this.setMode(this.modes[(this.modes.indexOf(this.mode) + 1) % this.modes.length]);
  }

  /** @param {number} index */
  showStep(index) {
    this.stepIndex = index;
    this.tell("analysis", "step");
  }

  /**
   * Shows a solution in the open cells; null removes it.
   * @param {number[] | null} solution
   */
  showSolution(solution) {
    const before = this.shownSolution;
    this.shownSolution = solution;
    this.changedCells = new Set(before && solution ? [...solution.keys()].filter((cell) => before[cell] !== solution[cell]) : []);
    this.tell("solution");
  }

  /**
   * Reacts to a new part of the analysis.
   * @param {string} part
   */
  #hear(part) {
    const { verdict, is_final } = this.analysis;
    if (part === "step") this.stepIndex = 0;
    if (part === "count" && is_final && verdict === "none" && !this.settings.isSolving) void this.#findReason();
    this.tell("analysis", part);
  }

  /**
   * Looks for the reason why a grid without repeated digits has no solution: wrong answers, or else a place that has no digit left.
   */
  async #findReason() {
    const { grid } = this;
    const write = (/** @type {number} */ digit) => this.write(digit);
    const signal = this.#check.begin();
    const solution = grid.entries.some(Boolean) ? await solutionOf(grid, signal).catch(() => null) : null;
    if (signal.aborted) return;
    this.contradictions = solution ? wrongAnswers(grid, solution, write) : gaps(grid, write);
    if (this.contradictions.length) this.tell("analysis", "count");
  }
}
