// @ts-check
// The analysis of the grid, which arrives part by part. A new analysis aborts the previous one.

import { isAbort, listen } from "./api.js";
import { takeTurn } from "./turns.js";

/**
 * @typedef {import("./grid.js").Grid} Grid
 * @typedef {"candidates" | "redundant" | "rating" | "step"} Want
 * @typedef {{technique: string, name: string, rating: number, reason: string, placed: [number, number] | null, removed: [number, number][],
 *   houses: string[], house_cells: number[][], pattern: [number, number][], links: [number[], number, boolean, number[], number, boolean][]}} Step
 * @typedef {{cap: number, candidateCap: number, scale: string, ties: string}} Limits
 * @typedef {{
 *   verdict: "waiting" | "none" | "unique" | "multiple", solutions: number | null, is_final: boolean, is_capped: boolean, is_paused: boolean, is_stopped: boolean, engine_ns: number | null,
 *   solution: number[] | null,
 *   candidates: {cap: number, solutions: number[][]} | null,
 *   redundant: {cells: number[], is_doubtful: boolean} | null,
 *   rating: {er: number | null, ep: number | null, ed: number | null, at_least: number | null, name: string | null, scale: string,
 *     backdoor: number[] | null, bands: number[]} | null,
 *   step: {steps: Step[], note?: string | null} | null,
 *   stale: Set<Want>, asked: Set<Want>}} Analysis
 */

/** The time in milliseconds for which old details stay while new ones are on their way, so that the page does not flicker. */
const STALE = 150;

/** The time in milliseconds after which a count needs a turn (see `turns.js`). */
const LONG = 300;

/** @returns {Analysis} */
function nothing() {
  return {
    verdict: "waiting", solutions: null, is_final: false, is_capped: false, is_paused: false, engine_ns: null,
    is_stopped: false, solution: null, candidates: null, redundant: null, rating: null, step: null,
    stale: new Set(), asked: new Set(),
  };
}

/** The details besides the count. @type {Want[]} */
const WANTS = ["candidates", "redundant", "rating", "step"];

/**
 * The details whose value is true.
 * @param {Record<Want, boolean>} all
 */
export const chosen = (all) => WANTS.filter((want) => all[want]);

/**
 * The solution of the clues; null unless they have exactly one.
 * @param {Grid} grid
 * @param {AbortSignal} signal
 * @returns {Promise<number[] | null>}
 */
export async function solutionOf({ shape, clues }, signal) {
  let solution = null;
  const question = { grid: { shape, clues }, cap: 2, candidate_cap: 1, wants: [] };
  await listen("analyse", question, signal, (event) => event.event === "solution" && (solution = event.digits));
  return solution;
}

export class Live {
  /** The details that have arrived so far. */
  analysis = nothing();
  #running = new AbortController();
  /** @type {Map<Want, AbortController>} the request that will bring each detail */
  #owners = new Map();
  #timer = 0;
  /** @type {[Grid, Limits] | null} the last grid and its limits */
  #subject = null;
  #isSeen = true;

  /**
   * @param {(part: string) => void} tell is called with the name of the event that changed something
   * @param {(error: unknown) => void} fail
   */
  constructor(tell, fail) {
    this.tell = tell;
    this.fail = fail;
    document.addEventListener("visibilitychange", () => this.#pauseOrResume());
    addEventListener("focus", () => this.#setPaused(false));
  }

  /**
   * Pauses while another page has taken the turn of this one. It continues when it gets the focus.
   * @param {boolean} isPaused
   */
  #setPaused(isPaused) {
    if (isPaused === this.analysis.is_paused) return;
    this.analysis.is_paused = isPaused;
    this.#pauseOrResume();
    this.tell("count");
  }

  /**
   * Sets whether the grid is visible. Nothing is asked about a hidden grid.
   * @param {boolean} isSeen
   */
  show(isSeen) {
    if (isSeen === this.#isSeen) return;
    this.#isSeen = isSeen;
    this.#pauseOrResume();
  }

  get #isHidden() {
    return document.hidden || !this.#isSeen || this.analysis.is_paused;
  }

  /**
   * Aborts the open questions when the page is hidden, and asks them again when it is visible. Browsers allow few connections to a
   * server, and all its pages share them.
   */
  #pauseOrResume() {
    if (this.#isHidden) this.#abort();
    else if (this.#subject) {
      const [grid, limits] = this.#subject;
      const open = this.#open;
      this.#owners.clear();
      if (this.#isCounted || this.analysis.is_stopped) this.more(grid, limits, open);
      else this.#running = this.#ask(grid, limits, open, true);
    }
  }

  /** Whether the count is complete, so that only details can be open. */
  get #isCounted() {
    const { verdict, solution, is_final } = this.analysis;
    return is_final && (solution !== null || verdict !== "unique");
  }

  /** The details that have not arrived. */
  get #open() {
    return [...this.#owners.keys()].filter((want) => !this.analysis[want] || this.analysis.stale.has(want));
  }

  #abort() {
    this.#running.abort();
    for (const owner of this.#owners.values()) owner.abort();
  }

  /** Aborts all questions, and forgets the grid they were about. */
  #forget() {
    this.#abort();
    this.#owners.clear();
    this.#subject = null;
  }

  /**
   * Starts the analysis of other digits.
   * @param {Grid} grid
   * @param {Limits} limits
   * @param {Want[]} wants
   */
  start(grid, limits, wants) {
    this.#forget();
    const { candidates, redundant, rating, step } = this.analysis;
    this.analysis = { ...nothing(), candidates, redundant, rating, step, stale: new Set(WANTS) };
    this.#running = this.#ask(grid, limits, wants, true);
  }

  /**
   * Makes no analysis, e.g. while the user solves the puzzle.
   * @param {Partial<Analysis>} [known] what is known without a question
   */
  askNothing(known = {}) {
    this.#forget();
    this.analysis = { ...nothing(), ...known };
  }

  /** Whether a question is open. */
  get isWorking() {
    return this.#owners.size > 0 || (this.#subject !== null && !this.analysis.is_final && !this.analysis.is_stopped);
  }

  /** Aborts all questions until the grid changes, and keeps what is known. The user needs this because a count may take hours. */
  stop() {
    this.#abort();
    for (const want of this.#owners.keys()) this.#drop(want);
    this.#owners.clear();
    this.analysis.asked.clear();
    this.analysis.is_stopped = true;
    this.tell("count");
    this.tell("done");
  }

  /**
   * Asks for details without a new count.
   * @param {Grid} grid
   * @param {Limits} limits
   * @param {Want[]} wants
   */
  more(grid, limits, wants) {
    const running = this.#running;
    const late = this.#open.filter((want) => this.#owners.get(want) === running);
    if (this.#isCounted && late.some((want) => wants.includes(want))) {
      // The running question still owes one of these details, and would bring it as it was asked for before. So it is aborted,
      // and all details that it still owes are asked for again.
      wants = [...new Set([...wants, ...late])];
      running.abort();
    }
    for (const want of wants) {
      const owner = this.#owners.get(want);
      if (owner !== this.#running) owner?.abort();
      this.analysis.stale.add(want);
      this.#ask(grid, limits, [want], false);
    }
  }

  /**
   * @param {Grid} grid
   * @param {Limits} limits
   * @param {Want[]} wants
   * @param {boolean} isCount
   */
  #ask(grid, limits, wants, isCount) {
    const owner = new AbortController();
    for (const want of wants) {
      this.#owners.set(want, owner);
      this.analysis.asked.add(want);
    }
    this.#subject = [grid, limits];
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#forgetStale(), STALE);
    if (this.#isHidden) return owner;
    const cap = isCount ? limits.cap : 2;
    const question = { grid, cap, candidate_cap: limits.candidateCap, wants, scale: limits.scale, ties: limits.ties };
    const ended = new AbortController();
    const long = setTimeout(() => void takeTurn(AbortSignal.any([owner.signal, ended.signal]), () => this.#setPaused(true)), LONG);
    listen("analyse", question, owner.signal, (event) => this.#hear(event, owner, isCount))
      .finally(() => {
        clearTimeout(long);
        ended.abort();
      })
      .then(() => this.#settle(wants, owner))
      .catch((error) => {
        if (isAbort(error) || owner.signal.aborted) return;
        this.#settle(wants, owner);
        this.fail(error);
      });
    return owner;
  }

  /**
   * @param {any} event
   * @param {AbortController} owner
   * @param {boolean} isCount
   */
  #hear(event, owner, isCount) {
    const { analysis } = this;
    if (event.event === "count") {
      if (!isCount) return;
      Object.assign(analysis, event);
    } else if (event.event === "solution") {
      analysis.solution = event.digits;
    } else {
      if (this.#owners.get(event.event) !== owner) return;
      // @ts-ignore the contract with the server defines the fields of each event
      analysis[event.event] = event;
      analysis.stale.delete(event.event);
    }
    this.tell(event.event);
  }

  /**
   * Records that a request has ended, so the details that it did not bring will not come.
   * @param {Want[]} wants
   * @param {AbortController} owner
   */
  #settle(wants, owner) {
    if (owner.signal.aborted) return;
    const own = wants.filter((want) => this.#owners.get(want) === owner);
    for (const want of own) {
      this.#owners.delete(want);
      this.analysis.asked.delete(want);
      this.#drop(want);
    }
    if (own.length) this.tell("done");
  }

  #forgetStale() {
    if (!this.analysis.stale.size) return;
    for (const want of [...this.analysis.stale]) this.#drop(want);
    this.tell("stale");
  }

  /**
   * Removes a detail that still belongs to the previous grid.
   * @param {Want} want
   */
  #drop(want) {
    if (!this.analysis.stale.delete(want)) return;
    this.analysis[want] = null;
  }
}
