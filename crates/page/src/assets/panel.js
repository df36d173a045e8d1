// @ts-check
// The results of the analysis: verdict, count, rating, candidates and redundant clues; the settings; and browsing the solutions.

import { listen } from "./api.js";
import { howMany } from "./board.js";
import { button, counted, duration, element, elementById, input, number, onClicks, redraw, select, setAttributes, setText } from "./dom.js";
import { digitsOf, fill, placeName, withAnswers } from "./grid.js";
import { showError } from "./message.js";
import { candidateCap } from "./page.js";
import { mountStep } from "./step.js";
import { Latest } from "./work.js";

/** @typedef {import("./page.js").Page} Page */

/** The time in milliseconds without a change after which the verdict is announced. */
const REST = 800;

/**
 * Shows the results and the settings.
 * @param {Page} page
 */
export function mountPanel(page) {
  for (const mount of [mountSettings, mountStep, mountSolutions]) mount(page);
  button("stop").addEventListener("click", () => {
    if (page.live.isWorking) page.live.stop();
    else page.analyse(null);
    drawAll(page);
  });
  button("redundant-take").addEventListener("click", () => page.put(fill(page.grid, [page.cursor], 0, true)));
  page.on("analysis", (part) => (part === "count" ? drawVerdict(page) : part === "step" || drawAll(page)));
  page.follow(["grid", "settings", "selection"], () => drawAll(page));
}

/** @param {Page} page */
function drawAll(page) {
  for (const draw of [drawVerdict, drawRating, drawRedundant, drawCandidates]) draw(page);
}

/** @param {Page} page */
function drawVerdict(page) {
  const { analysis } = page;
  const { verdict, solutions, is_final, is_capped } = analysis;
  const isWaiting = verdict === "waiting" && !analysis.is_stopped;
  setAttributes(elementById("verdict"), { "data-verdict": verdict });
  if (!isWaiting) setText(elementById("verdict-text"), verdictText(page));
  setAttributes(elementById("count"), { "data-solutions": solutions ?? "", "data-final": String(is_final), "data-capped": String(is_capped) });
  if (!isWaiting) setText(elementById("count"), countText(analysis));
  setText(elementById("engine-time"), analysis.engine_ns === null || isWaiting ? "" : `verdict in ${duration(analysis.engine_ns)}`);
  drawContradictions(page);
  const { isWorking } = page.live;
  setAttributes(button("stop"), { "data-stopped": analysis.is_stopped, disabled: !isWorking && !analysis.is_stopped });
  setText(button("stop"), analysis.is_stopped && !isWorking ? "Continue" : "Stop");
  if (page.settings.isSolving) setText(elementById("announcement"), "");
  else if (!isWaiting) announce(page);
}

/** @param {Page} page */
function verdictText({ analysis, grid, contradictions }) {
  const words = {
    waiting: "Not known yet",
    none: contradictions.length ? "Contradiction" : "No solution",
    unique: digitsOf(grid).every(Boolean) ? "Solved" : "Unique",
    multiple: "Not unique",
  };
  return words[analysis.verdict];
}

/** @param {import("./live.js").Analysis} analysis */
function countText({ solutions, is_final, is_capped, is_paused, is_stopped }) {
  const found = counted(solutions ?? 0, "solution");
  if (is_final) return is_capped ? `${found} or more` : found;
  if (is_stopped) return solutions === null ? "stopped" : `${found} so far; stopped`;
  return `${found} so far${is_paused ? "; paused while another tab counts" : ""}`;
}

/** @param {Page} page */
function drawContradictions({ contradictions }) {
  const list = elementById("conflicts");
  const words = contradictions.map((contradiction) => contradiction.words);
  if (contradictions.some(({ isWrong }) => isWrong)) words.push(`${words.pop()}. “Clear answers” removes all but the clues.`);
  list.hidden = !words.length;
  redraw(list, ...words.map((text) => element("li", {}, text)));
}

let timer = 0;
/** The text that was announced last, or will be announced next. */
let said = "";
/** @type {object | null} the analysis that the text belongs to */
let subject = null;

/**
 * Announces the verdict and the count to screen readers, once they are final and the digits have not changed for a while.
 * @param {Page} page
 */
function announce(page) {
  const { analysis } = page;
  const text = analysis.is_final ? `${verdictText(page)}. ${countText(analysis)}` : "";
  if (subject === analysis && said === text) return;
  [subject, said] = [analysis, text];
  clearTimeout(timer);
  if (!text) return;
  timer = window.setTimeout(() => page.analysis === analysis && setText(elementById("announcement"), text), REST);
}

/** @param {Page} page */
function drawRating({ analysis, settings, grid }) {
  const { rating } = analysis;
  const row = elementById("rating");
  row.hidden = !settings.isRatingWanted || grid.shape !== "3x3";
  const { er, ep, ed, at_least, name, scale } = rating ?? {};
  const least = at_least ?? null;
  const figure = least === null ? (er ?? 0).toFixed(1) : `at least ${least.toFixed(1)}: then no technique finds anything`;
  const parts = [name, ep && `ep ${ep.toFixed(1)}`, ed && `ed ${ed.toFixed(1)}`, `scale ${scale}`];
  setAttributes(row, { "data-er": er ?? "", "data-ep": ep ?? "", "data-ed": ed ?? "" });
  setText(elementById("rating-text"), rating ? figure : "");
  setText(elementById("rating-more"), rating ? parts.filter(Boolean).join(" · ") : absence(analysis, "rating"));
  for (const id of ["backdoor", "bands"]) elementById(id).hidden = row.hidden || !rating;
  if (!rating) return;
  const cells = rating.backdoor?.map((cell) => placeName(9, cell));
  const backdoor = !cells ? "more than 3 cells" : cells.length ? `${counted(cells.length, "cell")}: ${cells.join(" ")}` : "not needed";
  setText(elementById("backdoor-text"), backdoor);
  setText(elementById("bands-text"), `${rating.bands.slice(0, 3).join(" ")}, stacks ${rating.bands.slice(3).join(" ")}`);
}

/**
 * The reason why a detail is missing.
 * @param {import("./live.js").Analysis} analysis
 * @param {import("./live.js").Want} want
 */
function absence({ verdict, asked, is_stopped }, want) {
  if (is_stopped && !asked.has(want)) return "stopped";
  if (verdict === "waiting") return "";
  return verdict === "unique" && asked.has(want) ? "…" : "only if the clues have exactly one solution";
}

/**
 * The button removes the redundant clue at the cursor. The other redundant clues are then searched for again, because some of them
 * may now be needed.
 * @param {Page} page
 */
function drawRedundant({ analysis, settings, geometry, cursor }) {
  const { redundant, stale } = analysis;
  const row = elementById("redundant");
  const take = button("redundant-take");
  row.hidden = !settings.isRedundantWanted;
  setAttributes(row, { "data-redundant": redundant ? redundant.cells.length : "" });
  setText(elementById("redundant-text"), redundant ? redundantText(redundant) : absence(analysis, "redundant"));
  setAttributes(elementById("redundant-text"), { class: redundant ? null : "fine" });
  elementById("redundant-legend").hidden = take.hidden = !redundant?.cells.length;
  take.disabled = stale.has("redundant") || !redundant?.cells.includes(cursor);
  setText(take, take.disabled ? "Select one to remove it" : `Remove ${placeName(geometry.side, cursor)}`);
}

/** @param {NonNullable<import("./live.js").Analysis["redundant"]>} redundant */
function redundantText({ cells, is_doubtful }) {
  const doubt = is_doubtful ? ", perhaps more" : "";
  if (!cells.length) return is_doubtful ? "none found" : "none: the puzzle is minimal";
  return `${number(cells.length)}${doubt}: you could remove any one of them`;
}

/** @param {Page} page */
function drawCandidates(page) {
  const { analysis, cursor, grid } = page;
  const isTrue = page.marks === "true";
  elementById("candidate-cap-label").hidden = !isTrue;
  elementById("legend-one").hidden = !isTrue;
  const list = elementById("candidates");
  const known = isTrue ? analysis.candidates : null;
  const isOpen = !grid.clues[cursor] && !grid.entries[cursor];
  const solutions = known?.solutions[cursor] ?? [];
  const items = solutions.map((found, place) => /** @type {[number, number]} */ ([place + 1, found])).filter(([, found]) => found && isOpen);
  list.hidden = !items.length;
  list.replaceChildren(
    ...items.map(([digit, found]) => {
      const item = element("li", { "data-candidate": digit, "data-solutions": found, "data-look": found === 1 && known?.cap !== 1 ? "one" : null });
      item.append(element("b", {}, page.write(digit)), ` ${howMany(found, known?.cap ?? 1)}`);
      return item;
    }),
  );
}

/** @param {Page} page */
function mountSettings(page) {
  for (const key of /** @type {const} */ (["cap", "marks", "scale", "ties", "symbols", "symmetry"])) {
    const list = select(key);
    list.addEventListener("change", () => page.set({ [key]: key === "cap" ? Number(list.value) : list.value }));
    page.on("settings", () => (list.value = String(key === "marks" ? page.marks : page.settings[key])));
  }
  const cap = input("candidate-cap");
  cap.addEventListener("change", () => page.set({ candidateCap: candidateCap(Number(cap.value)) }));
  page.on("settings", () => (cap.value = String(page.settings.candidateCap)));
  const boxes = /** @type {const} */ ([["redundant-wanted", "isRedundantWanted"], ["rating-wanted", "isRatingWanted"], ["step-shown", "isStepShown"], ["repeats-shown", "areRepeatsShown"], ["time-shown", "isTimeShown"]]);
  for (const [id, key] of boxes) {
    const choice = input(id);
    choice.addEventListener("change", () => page.set({ [key]: choice.checked }));
    page.on("settings", () => (choice.checked = page.settings[key]));
  }
}

/**
 * Lets the user browse the solutions.
 * @param {Page} page
 */
function mountSolutions(page) {
  /** @type {Uint8Array[]} */
  let found = [];
  let [index, end, frame] = [0, "", 0];
  const latest = new Latest();
  const bar = elementById("solutions");

  function draw() {
    frame = 0;
    setAttributes(bar, { "data-index": index, "data-found": found.length, "data-end": end });
    const all = `${end === "limit" ? "the first " : ""}${number(found.length)}${end === "stopped" ? ", stopped" : end ? "" : " so far"}`;
    setText(elementById("solutions-place"), found.length ? `solution ${number(index + 1)} of ${all}` : end ? "no solution" : "searching…");
    for (const id of ["solutions-first", "solutions-prev"]) button(id).disabled = index <= 0;
    for (const id of ["solutions-next", "solutions-last"]) button(id).disabled = index >= found.length - 1;
    button("solutions-use").disabled = !found.length;
    button("solutions-stop").hidden = end !== "";
  }

  /** @param {number} next */
  function goTo(next) {
    index = Math.max(0, Math.min(next, found.length - 1));
    if (found[index]) page.showSolution([...found[index]]);
    draw();
  }

  function begin() {
    const signal = latest.begin();
    [found, index, end] = [[], 0, ""];
    bar.hidden = false;
    draw();
    const question = { grid: page.grid, limit: Number(select("solutions-limit").value) };
    const hear = (/** @type {any} */ event) => {
      if (event.event === "end") end = event.end;
      else found.push(Uint8Array.from(event.digits));
      if (found.length === 1) goTo(0);
      else frame ||= requestAnimationFrame(draw);
    };
    listen("solutions", question, signal, hear).catch((error) => {
      if (!signal.aborted) close();
      showError(error);
    });
  }

  function close() {
    latest.stop();
    bar.hidden = true;
    found = [];
    if (page.shownSolution) page.showSolution(null);
  }

  function use() {
    const solution = found[index];
    close();
    if (solution) page.put(withAnswers(page.grid, solution));
  }

  onClicks({
    "browse": begin,
    "solutions-first": () => goTo(0),
    "solutions-prev": () => goTo(index - 1),
    "solutions-next": () => goTo(index + 1),
    "solutions-last": () => goTo(found.length - 1),
    "solutions-stop": () => {
      latest.stop();
      end = "stopped";
      draw();
    },
    "solutions-use": use,
    "solutions-close": close,
  });
  select("solutions-limit").addEventListener("change", begin);
  page.on("grid", () => !bar.hidden && close());
}
