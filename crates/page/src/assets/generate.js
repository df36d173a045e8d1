// @ts-check
// The form of `generate`, and the puzzles that it has made, one at a time.

import { listen } from "./api.js";
import { button, byId, counted, dialog, elementById, number, onClicks, select, setAttributes, setText } from "./dom.js";
import { save } from "./export.js";
import { geometry, wholeGrid } from "./grid.js";
import { note } from "./message.js";
import { lineOf } from "./symbols.js";
import { mountWork } from "./work.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {{grid: import("./grid.js").Grid, guesses: number, er: number | null, seed: number}} Made */

/**
 * Connects the dialog that generates puzzles.
 * @param {Page} page
 */
export function mountGenerate(page) {
  const window = dialog("generate-dialog");
  const shapes = select("generate-shape");
  const list = mountMade(page);
  const draw9x9 = () => (byId("generate-9x9", HTMLFieldSetElement).disabled = shapes.value !== "3x3");
  shapes.addEventListener("change", draw9x9);
  byId("generate-form", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());

  function prepare() {
    shapes.value = page.grid.shape;
    draw9x9();
  }

  mountWork("generate", prepare, async (signal) => {
    const asked = question();
    const run = list.begin(asked.count);
    // The first puzzle closes the dialog while more are being made, so closing must not stop the work then.
    signal.addEventListener("abort", () => list.isEmpty() && run.abort());
    showAttempts(0);
    const hear = (/** @type {any} */ event) => {
      if (event.event === "attempts") return showAttempts(event.attempts);
      list.add(event);
      window.close();
    };
    await listen("generate", asked, run.signal, hear).finally(() => list.end(run));
  });
}

/**
 * Shows the puzzles of one run, which the user can look through.
 * @param {Page} page
 */
function mountMade(page) {
  /** @type {Made[]} */
  let made = [];
  let [index, wanted, isOver, isShowing] = [0, 0, true, false];
  /** Stops the work that makes them. */
  let running = new AbortController();

  function draw() {
    elementById("made").hidden = !made.length || wanted < 2;
    setAttributes(elementById("made"), { "data-index": index, "data-made": made.length, "data-over": String(isOver) });
    setText(elementById("made-place"), `generated puzzle ${number(index + 1)} of ${number(made.length)}${isOver ? "" : " so far"}`);
    button("made-prev").disabled = index === 0;
    button("made-next").disabled = index >= made.length - 1;
    button("made-stop").hidden = isOver;
  }

  /** @param {number} next */
  function show(next) {
    index = next;
    const { grid, guesses, er, seed } = made[index];
    isShowing = true;
    page.put(grid, { isLoad: true });
    isShowing = false;
    draw();
    const clues = grid.clues.filter(Boolean).length;
    const facts = [counted(clues, "clue"), `${number(guesses)} ${guesses === 1 ? "guess" : "guesses"}`, er !== null && `er ${er.toFixed(1)}`, `seed ${seed}`];
    note(facts.filter(Boolean).join(", "));
  }

  function close() {
    running.abort();
    made = [];
    draw();
  }

  onClicks({
    "made-prev": () => show(index - 1),
    "made-next": () => show(index + 1),
    "made-stop": () => running.abort(),
    "made-save": () => {
      const line = (/** @type {Made} */ { grid: { shape, clues } }) => `${lineOf(clues, geometry(shape).side, page.settings.symbols)}\n`;
      save("puzzles.txt", new Blob(made.map(line), { type: "text/plain" }));
    },
    "made-close": close,
  });
  page.on("grid", ({ isLoad }) => isLoad && !isShowing && close());
  return {
    isEmpty: () => !made.length,
    /** @param {number} count */
    begin(count) {
      [wanted, isOver] = [count, false];
      close();
      return (running = new AbortController());
    },
    /** @param {Made} puzzle the first one is shown */
    add(puzzle) {
      made.push({ ...puzzle, grid: wholeGrid(puzzle.grid) });
      if (made.length === 1) show(0);
      else draw();
    },
    /** @param {AbortController} run that makes no more */
    end(run) {
      if (run !== running) return;
      isOver = true;
      draw();
    },
  };
}

/** @param {number} attempts */
function showAttempts(attempts) {
  setAttributes(elementById("generate-running"), { "data-attempts": attempts });
  setText(elementById("generate-attempts-text"), counted(attempts, "attempt"));
}

/** The form as a question to the server. */
function question() {
  // Fields that are disabled are not among these.
  const fields = [...new FormData(byId("generate-form", HTMLFormElement))].filter(([, value]) => value !== "");
  /** @type {Record<string, any>} */
  const asked = Object.fromEntries(fields);
  for (const name of ["seed", "attempts", "count"]) if (name in asked) asked[name] = Number(asked[name]);
  for (const name of ["clues", "guesses", "er"]) {
    const ends = ["min", "max"].map((end) => `${name}-${end}`);
    if (ends.some((end) => end in asked)) asked[name] = ends.map((end) => (end in asked ? Number(asked[end]) : null));
    for (const end of ends) delete asked[end];
  }
  for (const name of ["minimal", "no_guess"]) asked[name] = name in asked;
  asked.technique = asked.technique?.split(/[\s,]+/).filter(Boolean);
  return asked;
}
