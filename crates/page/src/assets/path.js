// @ts-check
// The path: all steps from the grid to its solution, round by round. A step is shown on the grid as it is before that step.

import { isAbort, listen } from "./api.js";
import { box, byId, counted, element, mark, number, onClicks, setText } from "./dom.js";
import { withSteps } from "./grid.js";
import { effect } from "./step.js";

/**
 * @typedef {import("./page.js").Page} Page
 * @typedef {import("./live.js").Step} Step
 */

/**
 * Shows the path while its box is open.
 * @param {Page} page
 */
export function mountPath(page) {
  const panel = byId("path", HTMLDetailsElement);
  const list = box("path-rounds");
  let running = new AbortController();
  /** @type {Step[][]} the steps of each round, which are made together */
  let rounds = [];
  /** @type {{round: number, step: Step, item: HTMLElement}[]} all steps */
  let steps = [];
  let index = -1;
  let end = "";

  /** Forgets the path, and asks for that of the grid as soon as this has one solution. */
  function begin() {
    running.abort();
    running = new AbortController();
    [rounds, steps, index, end] = [[], [], -1, ""];
    list.replaceChildren();
    if (page.shownPath) page.showPath(null);
    draw();
    if (!panel.open || page.settings.isSolving || !hasPath()) return;
    const { scale, ties } = page.settings;
    const own = running;
    listen("path", { grid: page.grid, scale, ties }, own.signal, hear).catch((error) => isAbort(error) || own.signal.aborted || page.fail(error));
  }

  const hasPath = () => page.grid.shape === "3x3" && page.analysis.verdict === "unique";

  /** @param {any} event */
  function hear(event) {
    if (event.event === "end") end = event.end;
    else add(event.steps);
    draw();
  }

  /** @param {Step[]} found */
  function add(found) {
    const round = rounds.length;
    rounds.push(found);
    const made = found.map((step) => {
      const place = steps.length;
      const item = element("button", { type: "button", tabindex: place ? -1 : 0, "data-path-step": place, "data-technique": step.technique, onclick: () => show(place) });
      item.append(element("b", {}, step.name), ` ${step.rating.toFixed(1)} `, element("span", { class: "fine" }, effect(page, step)));
      steps.push({ round, step, item });
      return item;
    });
    list.append(element("li", { "data-round": round + 1 }, ...made));
  }

  function draw() {
    mark(panel, { "data-rounds": rounds.length, "data-end": end });
    const ends = /** @type {Record<string, string>} */ ({ "": " so far", "at-least": "; no technique goes on from there" });
    const text = `${counted(steps.length, "step")} in ${counted(rounds.length, "round")}${ends[end] ?? ""}`;
    setText(box("path-summary"), hasPath() ? text : "Comes when a 9×9 grid has one solution.");
    box("path-techniques").replaceChildren(...techniques(steps.map(({ step }) => step)));
    drawBar();
  }

  function drawBar() {
    const isShown = page.shownPath !== null && index >= 0;
    const hadFocus = box("path-bar").contains(document.activeElement);
    box("path-bar").hidden = !isShown;
    if (!isShown && hadFocus) (steps[index]?.item ?? box("path").querySelector("summary"))?.focus();
    steps.forEach(({ item }, place) => mark(item, { "aria-current": isShown && place === index ? "step" : null }));
    setText(box("path-place"), `Step ${number(index + 1)} of ${number(steps.length)}, on the grid before it`);
  }

  /** @param {number} place the one after the last is the first */
  function show(place) {
    index = (place + steps.length) % steps.length;
    const { round, step } = steps[index];
    rove(index);
    page.showPath({ grid: withSteps(page.grid, rounds.slice(0, round).flat()), step });
  }

  /**
   * Lets the tabulator lead to this step of the list.
   * @param {number} place
   */
  function rove(place) {
    steps.forEach(({ item }, other) => (item.tabIndex = other === place ? 0 : -1));
  }

  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const place = steps.findIndex(({ item }) => item === event.target) + (by ?? 0);
    if (!by || !steps[place]) return;
    event.preventDefault();
    rove(place);
    steps[place].item.focus();
  });
  onClicks({ "path-prev": () => show(index - 1), "path-next": () => show(index + 1), "path-back": () => page.showPath(null) });
  panel.addEventListener("toggle", begin);
  page.on("grid", begin);
  page.on("settings", (change) => ["scale", "ties", "isSolving"].some((key) => key in change) && begin());
  page.on("analysis", (part) => part === "count" && panel.open && !rounds.length && begin());
  page.on("hint", drawBar);
}

/**
 * Returns how often each technique finds something, with the ratings of its steps, the easiest first.
 * @param {Step[]} steps
 */
function techniques(steps) {
  /** @type {Map<string, Step[]>} */
  const groups = new Map();
  for (const step of steps) groups.set(step.technique, [...(groups.get(step.technique) ?? []), step]);
  const sorted = [...groups.values()].sort((a, b) => a[0].rating - b[0].rating);
  return sorted.map((uses) => {
    const ratings = uses.map((step) => step.rating);
    const range = [...new Set([Math.min(...ratings), Math.max(...ratings)])].map((rating) => rating.toFixed(1)).join(" to ");
    return element("li", { "data-technique": uses[0].technique, "data-uses": uses.length }, element("span", {}, uses[0].name), element("span", {}, range), element("span", {}, `×${uses.length}`));
  });
}
