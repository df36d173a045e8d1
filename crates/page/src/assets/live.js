// @ts-check
// The analysis of the grid, as it becomes known. A new one gives up the last.

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
 *   rating: {er: number | null, ep: number | null, ed: number | null, at_least: number | null, hardest: string | null, name: string | null, scale: string} | null,
 *   step: {steps: Step[], note?: string | null} | null,
 *   stale: Set<Want>, asked: Set<Want>}} Analysis
 */

/** Milliseconds for which old details stay while new ones are on their way, so that nothing flickers. */
const STALE = 150;

/** Milliseconds after which a count needs one of the turns that pages have. */
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
 * Returns the details whose value is true.
 * @param {Record<Want, boolean>} all
 */
export const chosen = (all) => WANTS.filter((want) => all[want]);

export class Live {
  /** The details that are known. */
  analysis = nothing();
  #running = new AbortController();
  /** @type {Map<Want, AbortController>} the question that will answer each wish */
  #owners = new Map();
  #timer = 0;
  /** @type {[Grid, Limits] | null} what was asked about last */
  #subject = null;
  #isSeen = true;

  /**
   * @param {(part: string) => void} tell is called with the name of the event that changed something
   * @param {(error: unknown) => void} fail
   */
  constructor(tell, fail) {
    this.tell = tell;
    this.fail = fail;
    document.addEventListener("visibilitychange", () => this.#turn());
    addEventListener("focus", () => this.#setPaused(false));
  }

  /**
   * Says whether another page counts in place of this one, which goes on when it gets the focus.
   * @param {boolean} isPaused
   */
  #setPaused(isPaused) {
    if (isPaused === this.analysis.is_paused) return;
    this.analysis.is_paused = isPaused;
    this.#turn();
    this.tell("count");
  }

  /**
   * Says whether the grid is seen.
   * @param {boolean} isSeen
   */
  show(isSeen) {
    if (isSeen === this.#isSeen) return;
    this.#isSeen = isSeen;
    this.#turn();
  }

  get #isHidden() {
    return document.hidden || !this.#isSeen || this.analysis.is_paused;
  }

  /**
   * Gives up the questions that are under way when the page is hidden, and asks again when it is seen, because browsers have few connections to a
   * server, and share them among all pages.
   */
  #turn() {
    if (this.#isHidden) this.#abort();
    else if (this.#subject) {
      const [grid, limits] = this.#subject;
      const open = this.#open;
      this.#owners.clear();
      if (this.#isCounted || this.analysis.is_stopped) this.more(grid, limits, open);
      else this.#running = this.#ask(grid, limits, open, true);
    }
  }

  /** Whether nothing but details is open. */
  get #isCounted() {
    const { verdict, solution, is_final } = this.analysis;
    return is_final && (solution !== null || verdict !== "unique");
  }

  /** The wishes that were not answered. */
  get #open() {
    return [...this.#owners.keys()].filter((want) => !this.analysis[want] || this.analysis.stale.has(want));
  }

  #abort() {
    this.#running.abort();
    for (const owner of this.#owners.values()) owner.abort();
  }

  /** Gives up all that is under way. */
  stop() {
    this.#abort();
    this.#owners.clear();
    this.#subject = null;
  }

  /**
   * Begins again, for other digits.
   * @param {Grid} grid
   * @param {Limits} limits
   * @param {Want[]} wants
   */
  start(grid, limits, wants) {
    this.stop();
    const { candidates, redundant, rating, step } = this.analysis;
    this.analysis = { ...nothing(), candidates, redundant, rating, step, stale: new Set(WANTS) };
    this.#running = this.#ask(grid, limits, wants, true);
  }

  /** Knows and asks nothing, e.g. while somebody solves the puzzle. */
  rest() {
    this.stop();
    this.analysis = nothing();
  }

  /** Whether a question is under way. */
  get isWorking() {
    return this.#owners.size > 0 || (this.#subject !== null && !this.analysis.is_final && !this.analysis.is_stopped);
  }

  /** Gives up all that is under way until the grid changes, and keeps what is known, because a count may not end for hours. */
  halt() {
    this.#abort();
    for (const want of this.#owners.keys()) this.#drop(want);
    this.#owners.clear();
    this.analysis.asked.clear();
    this.analysis.is_stopped = true;
    this.tell("count");
    this.tell("done");
  }

  /** Says that digits repeat, which needs no question. */
  contradict() {
    this.stop();
    this.analysis = { ...nothing(), verdict: "none", solutions: 0, is_final: true };
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
      // It would answer the old wish too. Its other open wishes are asked for again.
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
      // @ts-ignore the contract with the server says what each event holds
      analysis[event.event] = event;
      analysis.stale.delete(event.event);
    }
    this.tell(event.event);
  }

  /**
   * Says that what was not answered will not be.
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
   * Forgets a detail of the grid before.
   * @param {Want} want
   */
  #drop(want) {
    if (!this.analysis.stale.delete(want)) return;
    this.analysis[want] = null;
  }
}
