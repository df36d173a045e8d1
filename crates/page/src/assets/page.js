// @ts-check
// What the page shows, its history for undo and redo, and what is called when it changes.

import { digitsOf, emptyGrid, eraseOwn, fill, gaps, geometry, isEqual, orbitOf, repeats, toggleMarks, withSteps, wrongAnswers } from "./grid.js";
import { chosen, Live } from "./live.js";
import { symbol } from "./symbols.js";

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
 * @typedef {"grid" | "selection" | "settings" | "analysis" | "mode" | "solution" | "hint"} Topic
 * @typedef {{isLoad?: boolean, isFromAddress?: boolean, origin?: Origin | null}} How
 */

const SETTINGS = "gridmill";

/** States that are kept to go back to. */
const DEPTH = 2000;

/** @type {Settings} */
export const USUAL = {
  cap: 1_000_000, candidateCap: 8, scale: "sukaku", ties: "minlex", symbols: "1-9A-G", symmetry: "none",
  marks: "off", isRedundantWanted: true, isRatingWanted: true, isStepShown: true,
  isSolving: false, areRepeatsShown: true, isTimeShown: true,
};

/** The ways to type, of setters and of solvers. @type {{set: Mode[], solve: Mode[]}} */
const MODES = { set: ["clues", "answers"], solve: ["answers", "corner", "centre", "colours"] };

/** The stage of a hint that shows the whole step. */
const LAST_STAGE = 3;

/** The numbers of solutions that may be counted to; 0 is all. The page has a choice for each. */
const CAPS = [1000, 100_000, 1_000_000, 100_000_000];

/**
 * Returns the least choice of a count that is at least as large as this.
 * @param {number} wanted
 */
export function countCap(wanted) {
  return wanted === 0 ? 0 : (CAPS.find((cap) => cap >= wanted) ?? CAPS[CAPS.length - 1]);
}

/**
 * Returns the nearest number to which solutions of a candidate may be counted.
 * @param {number} wanted
 */
export function candidateCap(wanted) {
  return Math.min(Math.max(Math.trunc(wanted) || 1, 1), 1_000_000);
}

/** Returns the settings of the last visit. @returns {Settings} */
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
  /** The settings that the user chose, which are kept for the next visit. */
  #own = kept();
  /** The settings that count: those, but for what an address says. @type {Settings} */
  settings = this.#own;
  /** The cell that keys go to. */
  cursor = 0;
  /** @type {Set<number>} */
  selected = new Set([0]);
  /** What digits are typed as. */
  mode = this.modes[0];
  /** The digit that was picked to be seen everywhere; 0 for that of the cursor. */
  #picked = 0;
  /** How much of the next step a solver asked for: 0 nothing, 1 its house, 2 its technique, 3 all of it. */
  hintStage = 0;
  /** @type {{grid: Grid, step: Step} | null} the step of the path that is shown, and the grid before it */
  shownPath = null;
  /** Which of the steps is shown. */
  stepIndex = 0;
  /** @type {number[] | null} the solution that is shown in place of answers, when solutions are looked through */
  shownSolution = null;
  /** @type {Set<number>} the cells in which it differs from the one shown before */
  changedCells = new Set();
  /** @type {import("./grid.js").Contradiction[]} */
  contradictions = [];
  live = new Live((part) => this.#hear(part), (error) => this.fail(error, "analysis"));
  /** @type {(error: unknown, source?: string) => void} is called with errors */
  fail = () => {};
  #expected = new AbortController();
  #areRepeated = false;
  /** @type {Map<Topic, ((how: any) => void)[]>} */
  #listeners = new Map();
  #check = new Live(() => this.#compare(), () => {});

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

  /** The grid that is shown. */
  get shownGrid() {
    return this.shownPath?.grid ?? this.grid;
  }

  get modes() {
    return MODES[this.settings.isSolving ? "solve" : "set"];
  }

  /** Which candidates are shown. Those in solutions would tell a solver too much. */
  get marks() {
    const { isSolving, marks } = this.settings;
    return isSolving && marks === "true" ? "off" : marks;
  }

  /** The digit that is to be seen everywhere; 0 for none. */
  get highlight() {
    if (!this.settings.isSolving) return 0;
    return this.#picked || (this.selected.has(this.cursor) ? digitsOf(this.grid)[this.cursor] : 0);
  }

  /** Whether every cell has a digit, and none repeats in a house: by the rules, a solution. */
  get isSolved() {
    return digitsOf(this.grid).every(Boolean) && !repeats(this.grid, String).length;
  }

  /** The steps that may be shown and applied. */
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
   * Puts a digit into the selected cells, 0 to clear them: clues together with their partners by the symmetry. Where a solver selected
   * none to fill, the digit is shown everywhere.
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
      this.tell("hint");
    } else if (isSolving && !digit) this.put(eraseOwn(grid, cells));
    else if (mode === "clues" || mode === "answers") this.put(fill(grid, partners, digit, mode === "clues"));
    else this.put(toggleMarks(grid, cells, mode, digit));
  }

  /** Makes the step that is shown. Returns whether there is one. */
  applyStep() {
    const { step } = this;
    if (step) this.put(withSteps(this.shownGrid, [step]));
    return step !== undefined;
  }

  /** Tells a solver more of the next step. */
  hint() {
    if (!this.settings.isSolving) return;
    if (!this.hintStage) this.live.start(this.grid, { ...this.settings, cap: 2 }, chosen({ candidates: false, redundant: false, rating: false, step: true }));
    this.hintStage = Math.min(this.hintStage + 1, LAST_STAGE);
    this.tell("hint");
  }

  /** Marks answers that are wrong, until the grid changes. @param {import("./grid.js").Contradiction[]} wrong */
  showWrong(wrong) {
    this.contradictions = [...this.contradictions.filter(({ isWrong }) => !isWrong), ...wrong];
    this.tell("hint");
  }

  /** Shows a step of the path on the grid before it, or the present grid again. @param {{grid: Grid, step: Step} | null} shown */
  showPath(shown) {
    this.shownPath = shown;
    this.tell("hint");
  }

  /**
   * Begins with a grid, without a way back to earlier ones.
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
   * Goes on with another grid. One that is loaded gets its own place in the history of the browser.
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
   * Expects another grid from the server. Gives up the one that was expected before, and is given up if the grid changes meanwhile.
   */
  expect() {
    this.#expected.abort();
    return (this.#expected = new AbortController());
  }

  /**
   * Notes where the grid is from.
   * @param {Origin | null} origin
   */
  setOrigin(origin) {
    this.history.now.origin = origin;
    this.tell("grid");
  }

  /**
   * Says whether the grid is seen: nothing is asked about one that is not.
   * @param {boolean} isSeen
   */
  show(isSeen) {
    this.live.show(isSeen);
    this.#check.show(isSeen);
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
    this.#expected.abort();
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
   * Asks for what a change makes unknown: all for other digits, little for other clues or candidates.
   * @param {Grid | null} before
   */
  analyse(before) {
    const { grid, settings } = this;
    if (settings.isSolving) return this.#rest();
    const isNew = !before || before.shape !== grid.shape || !isEqual(digitsOf(before), digitsOf(grid));
    const wants = this.wants();
    if (isNew) {
      this.stepIndex = 0;
      this.shownSolution = null;
      this.contradictions = repeats(grid, (digit) => this.write(digit));
      this.#areRepeated = this.contradictions.length > 0;
      this.#check.stop();
      if (this.#areRepeated) this.live.contradict();
      else this.live.start(grid, settings, wants);
    } else if (!this.#areRepeated) {
      /** @type {Want[]} */
      const missed = isEqual(before.clues, grid.clues) ? [] : ["redundant", "rating"];
      if (JSON.stringify(before.removed) !== JSON.stringify(grid.removed)) missed.push("step");
      this.more(missed);
    }
  }

  /** Asks nothing while somebody solves the puzzle: only digits that repeat are seen. */
  #rest() {
    this.shownSolution = null;
    this.hintStage = 0;
    this.stepIndex = 0;
    this.contradictions = this.settings.areRepeatsShown ? repeats(this.grid, (digit) => this.write(digit)) : [];
    this.#check.stop();
    this.live.rest();
  }

  /** Returns the details that are wanted. */
  wants() {
    const { marks, isRedundantWanted, isRatingWanted } = this.settings;
    const is9x9 = this.grid.shape === "3x3";
    return chosen({ candidates: marks === "true", redundant: isRedundantWanted, rating: isRatingWanted && is9x9, step: is9x9 });
  }

  /**
   * Asks for details of the same digits.
   * @param {Want[]} wants
   */
  more(wants) {
    const wanted = wants.filter((want) => this.wants().includes(want));
    if (wanted.includes("step")) this.stepIndex = 0;
    if (wanted.length && !this.#areRepeated && !this.settings.isSolving) this.live.more(this.grid, this.settings, wanted);
  }

  /**
   * Changes a setting that the user chose, and keeps it.
   * @param {Partial<Settings>} change
   */
  set(change) {
    this.#own = { ...this.#own, ...change };
    try {
      localStorage.setItem(SETTINGS, JSON.stringify(this.#own));
    } catch {
      // Settings are then those of this visit alone.
    }
    this.turnTo(change);
  }

  /**
   * Changes a setting, and asks for what it makes unknown. It is not kept: an address may be that of somebody else.
   * @param {Partial<Settings>} change
   */
  turnTo(change) {
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
   * Moves the cursor, and selects that cell alone, or besides the others.
   * @param {number} cell
   * @param {boolean} [isMore]
   */
  select(cell, isMore = false) {
    this.cursor = cell;
    this.#picked = 0;
    this.selected = new Set(isMore ? [...this.selected, cell] : [cell]);
    this.tell("selection");
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

  /** Goes on to the next way to type. */
  turnMode() {
    this.setMode(this.modes[(this.modes.indexOf(this.mode) + 1) % this.modes.length]);
  }

  /** @param {number} index */
  showStep(index) {
    this.stepIndex = index;
    this.tell("analysis", "step");
  }

  /**
   * Shows a solution in the open cells, or none any more.
   * @param {number[] | null} solution
   */
  showSolution(solution) {
    const before = this.shownSolution;
    this.shownSolution = solution;
    this.changedCells = new Set(before && solution ? [...solution.keys()].filter((cell) => before[cell] !== solution[cell]) : []);
    this.tell("solution");
  }

  /**
   * Takes note of what became known.
   * @param {string} part
   */
  #hear(part) {
    const { verdict, is_final } = this.analysis;
    if (part === "step") this.stepIndex = 0;
    if (part === "count" && is_final && verdict === "none" && !this.settings.isSolving) this.#findReason();
    this.tell("analysis", part);
  }

  /** Looks for the reason of a contradiction without repeated digits: wrong answers, or else a place without a digit. */
  #findReason() {
    if (!this.grid.entries.some(Boolean)) return this.#findGaps();
    const clues = { ...this.grid, entries: [], removed: [] };
    this.#check.start(clues, { ...this.settings, cap: 2 }, []);
  }

  #findGaps() {
    this.contradictions = gaps(this.grid, (digit) => this.write(digit));
  }

  /** Compares answers with the solution of the clues. */
  #compare() {
    const { verdict, solution } = this.#check.analysis;
    if (verdict === "waiting" || this.contradictions.length) return;
    if (solution) this.contradictions = wrongAnswers(this.grid, solution, (digit) => this.write(digit));
    else if (verdict !== "unique") this.#findGaps();
    if (this.contradictions.length) this.tell("analysis", "count");
  }
}
