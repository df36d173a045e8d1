// @ts-check
// The path: all steps from the grid to its solution, round by round. Each step is shown on the grid before it.

import { isAbort, listen } from "./api.js";
import { box, byId, counted, element, mark, onClicks, setText } from "./dom.js";
import { withSteps } from "./grid.js";
import { effect } from "./step.js";

/**
 * @typedef {import("./page.js").Page} Page
 * @typedef {import("./live.js").Step} Step
 */

/** The text after the number of steps, by how the path has ended. @type {Record<string, string>} */
const ENDS = { "": " so far", "solved": "", "at-least": "; no technique finds anything there" };

/** Shows the path while its box is open. @param {Page} page */
export function mountPath(page) {
  const panel = byId("path", HTMLDetailsElement);
  const list = box("path-rounds");
  let running = new AbortController();
  /** @type {{round: number, step: Step, item: HTMLElement}[]} the steps of a round are applied together */
  let steps = [];
  let index = 0;
  let end = "";
  const hasPath = () => page.grid.shape === "3x3" && page.analysis.verdict === "unique";

  /** Discards the path, and asks for a new one if the grid has exactly one solution. */
  function begin() {
    running.abort();
    running = new AbortController();
    [steps, index, end] = [[], 0, ""];
    list.replaceChildren();
    if (page.shownPath) page.showPath(null);
    draw();
    if (!panel.open || page.settings.isSolving || !hasPath()) return;
    const { scale, ties } = page.settings;
    const own = running;
    listen("path", { grid: page.grid, scale, ties }, own.signal, hear).catch((error) => isAbort(error) || own.signal.aborted || page.fail(error));
  }

  /** @param {any} event */
  function hear(event) {
    if (event.event === "end") end = event.end;
    else add(event.steps);
    draw();
  }

  /** @param {Step[]} found the steps of a round */
  function add(found) {
    const round = list.childElementCount + 1;
    const made = found.map((step) => {
      const place = steps.length;
      const item = element("button", { type: "button", tabindex: place ? -1 : 0, "data-path-step": place, onclick: () => show(place) });
      item.append(element("b", {}, step.name), ` ${step.rating.toFixed(1)} `, element("span", { class: "fine" }, effect(page, step)));
      steps.push({ round, step, item });
      return item;
    });
    list.append(element("li", { "data-round": round }, ...made));
  }

  function draw() {
    const rounds = list.childElementCount;
    mark(panel, { "data-rounds": rounds, "data-end": end });
    const text = `${counted(steps.length, "step")} in ${counted(rounds, "round")}${ENDS[end]}`;
    setText(box("path-summary"), hasPath() ? text : "Comes when a 9×9 grid has one solution.");
    box("path-techniques").replaceChildren(...techniques(steps.map(({ step }) => step)));
  }

  function drawBar() {
    const isShown = page.shownPath !== null;
    const bar = box("path-bar");
    const hadFocus = bar.contains(document.activeElement);
    bar.hidden = !isShown;
    if (!isShown && hadFocus) (steps[index]?.item ?? panel.querySelector("summary"))?.focus();
    steps.forEach(({ item }, place) => mark(item, { "aria-current": isShown && place === index ? "step" : null, tabindex: place === index ? 0 : -1 }));
    setText(box("path-place"), `Step ${index + 1} of ${steps.length}, on the grid before it`);
  }

  /** @param {number} place after the last step comes the first */
  function show(place) {
    index = (place + steps.length) % steps.length;
    const { round, step } = steps[index];
    const earlier = steps.filter((other) => other.round < round).map((other) => other.step);
    page.showPath({ grid: withSteps(page.grid, earlier), step });
  }

  list.addEventListener("keydown", ({ key, target }) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[key] ?? 0;
    steps[steps.findIndex(({ item }) => item === target) + by]?.item.focus();
  });
  onClicks({ "path-prev": () => show(index - 1), "path-next": () => show(index + 1), "path-back": () => page.showPath(null) });
  panel.addEventListener("toggle", begin);
  page.on("grid", begin);
  page.on("settings", (change) => ["scale", "ties", "isSolving"].some((key) => key in change) && begin());
  page.on("analysis", (part) => part === "count" && panel.open && !steps.length && begin());
  page.on("hint", drawBar);
}

/** How often each technique is used, with the range of its ratings; the easiest technique comes first. @param {Step[]} steps */
function techniques(steps) {
  const names = [...new Set(steps.map(({ name }) => name))];
  const groups = names.map((name) => steps.filter((step) => step.name === name).sort((a, b) => a.rating - b.rating));
  return groups.sort((a, b) => a[0].rating - b[0].rating).map((uses) => {
    const range = [...new Set([uses[0], uses[uses.length - 1]].map(({ rating }) => rating.toFixed(1)))].join(" to ");
    const parts = [uses[0].name, range, `×${uses.length}`].map((text) => element("span", {}, text));
    return element("li", { "data-technique": uses[0].technique, "data-uses": uses.length }, ...parts);
  });
}
