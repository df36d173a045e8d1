// @ts-check
// The solutions of the grid, looked through one by one as they are found.

import { isAbort, listen } from "./api.js";
import { box, button, mark, select, setText } from "./dom.js";
import { withAnswers } from "./grid.js";
import { number } from "./words.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Lets solutions be looked through.
 * @param {Page} page
 */
export function mountSolutions(page) {
  /** @type {Uint8Array[]} */
  let found = [];
  let index = 0;
  let end = "";
  let frame = 0;
  let running = new AbortController();
  const bar = box("solutions");

  function draw() {
    frame = 0;
    mark(bar, { "data-index": index, "data-found": found.length, "data-end": end });
    const all = `${end === "limit" ? "the first " : ""}${number(found.length)}${end ? "" : " so far"}`;
    setText(box("solutions-place"), found.length ? `solution ${number(index + 1)} of ${all}` : end ? "no solution" : "searching…");
    for (const id of ["solutions-first", "solutions-prev"]) button(id).disabled = index <= 0;
    for (const id of ["solutions-next", "solutions-last"]) button(id).disabled = index >= found.length - 1;
    button("solutions-use").disabled = !found.length;
  }

  /** @param {number} next */
  function goTo(next) {
    index = Math.max(0, Math.min(next, found.length - 1));
    if (found[index]) page.showSolution([...found[index]]);
    draw();
  }

  /** @param {any} event */
  function hear(event) {
    if (event.event === "end") end = event.end;
    else if (event.event === "solution") {
      found.push(Uint8Array.from(event.digits));
      if (found.length === 1) return goTo(0);
    }
    frame ||= requestAnimationFrame(draw);
  }

  function begin() {
    running.abort();
    running = new AbortController();
    const own = running;
    [found, index, end] = [[], 0, ""];
    bar.hidden = false;
    draw();
    const question = { grid: page.grid, limit: Number(select("solutions-limit").value) };
    listen("solutions", question, own.signal, (event) => own === running && hear(event)).catch((error) => {
      if (isAbort(error)) return;
      page.fail(error);
      if (own === running) close();
    });
  }

  function close() {
    running.abort();
    bar.hidden = true;
    found = [];
    if (page.shownSolution) page.showSolution(null);
  }

  function use() {
    const solution = found[index];
    close();
    if (solution) page.put(withAnswers(page.grid, solution));
  }

  /** @type {Record<string, () => void>} */
  const actions = {
    "browse": begin,
    "solutions-first": () => goTo(0),
    "solutions-prev": () => goTo(index - 1),
    "solutions-next": () => goTo(index + 1),
    "solutions-last": () => goTo(found.length - 1),
    "solutions-use": use,
    "solutions-close": close,
  };
  for (const [id, act] of Object.entries(actions)) button(id).addEventListener("click", act);
  select("solutions-limit").addEventListener("change", begin);
  page.on("grid", () => !bar.hidden && close());
}
