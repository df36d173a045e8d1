// @ts-check
// The path: all steps from the grid to its solution, round by round. Each step is shown on the grid before it.

import { listen } from "./api.js";
import { byId, counted, element, elementById, onClicks, setAttributes, setText } from "./dom.js";
import { withSteps } from "./grid.js";
import { showError } from "./message.js";
import { effect } from "./step.js";
import { Latest } from "./work.js";

/**
 * @typedef {import("./page.js").Page} Page
 * @typedef {import("./live.js").Step} Step
 */

/** The text after the number of steps, by how the path has ended. @type {Record<string, string>} */
const ENDS = { "": " so far", "solved": "", "stuck": "; then no technique finds anything" };

/** Shows the path while its box is open. @param {Page} page */
export function mountPath(page) {
  const panel = byId("path", HTMLDetailsElement);
  const list = elementById("path-rounds");
  const latest = new Latest();
  /** @type {{round: number, step: Step, item: HTMLElement}[]} the steps of a round are applied together */
  let steps = [];
  let index = 0;
  let end = "";
  const hasPath = () => page.grid.shape === "3x3" && page.analysis.verdict === "unique";

  /** Discards the path, and asks for a new one if the grid has exactly one solution. */
  function begin() {
    const signal = latest.begin();
    [steps, index, end] = [[], 0, ""];
    list.replaceChildren();
    if (page.shownPath) page.showPath(null);
    draw();
    if (!panel.open || page.settings.isSolving || !hasPath()) return;
    const { scale, ties } = page.settings;
    const question = { grid: page.grid, cap: 2, candidate_cap: 1, wants: ["path"], scale, ties };
    const hear = (/** @type {any} */ event) => {
      if (event.event === "end") end = event.end;
      if (event.event === "round") add(event.steps);
      draw();
    };
    listen("analyse", question, signal, hear).catch(showError);
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
    setAttributes(panel, { "data-rounds": rounds, "data-end": end });
    const text = `${counted(steps.length, "step")} in ${counted(rounds, "round")}${ENDS[end]}`;
    setText(elementById("path-summary"), hasPath() ? text : "Shown for 9×9 grids with exactly one solution.");
    elementById("path-techniques").replaceChildren(...techniques(steps.map(({ step }) => step)));
  }

  function drawBar() {
    const isShown = page.shownPath !== null;
    const bar = elementById("path-bar");
    if (!isShown && bar.contains(document.activeElement)) (steps[index]?.item ?? panel.querySelector("summary"))?.focus();
    bar.hidden = !isShown;
    steps.forEach(({ item }, place) => setAttributes(item, { "aria-current": isShown && place === index ? "step" : null, tabindex: place === index ? 0 : -1 }));
    setText(elementById("path-place"), `Step ${index + 1} of ${steps.length} (grid before this step)`);
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
  page.on("overlay", drawBar);
}

/** How often each technique is used, with the range of its ratings; the easiest technique comes first. @param {Step[]} steps */
function techniques(steps) {
  const sorted = [...steps].sort((a, b) => a.rating - b.rating);
  return [...new Set(sorted.map(({ name }) => name))].map((name) => {
    const uses = sorted.filter((step) => step.name === name);
    const range = [...new Set([uses[0], uses[uses.length - 1]].map(({ rating }) => rating.toFixed(1)))].join(" to ");
    const parts = [name, range, `×${uses.length}`].map((text) => element("span", {}, text));
    return element("li", { "data-technique": uses[0].technique, "data-uses": uses.length }, ...parts);
  });
}
