// @ts-check
// The grid in other forms: texts and addresses to copy, and pictures to save.

import { ADDRESSES, MAX_SIDE_ELSEWHERE } from "./other_programs.js";
import { ask } from "./api.js";
import { area, button, dialog, elementById, onClicks, select } from "./dom.js";
import { drawing, pngOf, save, svgOf } from "./export.js";
import { candidatesOf } from "./grid.js";
import { note, showError } from "./message.js";
import { Latest } from "./work.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Copies a text. If the browser does not allow that, the text is shown so that the user can copy it.
 * @param {string} text
 * @param {string} done
 */
export async function toClipboard(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    note(done);
  } catch {
    area("copy-text").value = text;
    button("copy-take").disabled = false;
    dialog("copy-dialog").showModal();
    area("copy-text").select();
  }
}

/** The forms with candidates. */
const WITH_CANDIDATES = ["pencilmarks", "candidates"];

/** The forms for 9x9 grids only. */
const CLASSIC = ["hodoku", "sudokuwiki", "sudokuexchange", ...WITH_CANDIDATES];

/** @param {Page} page */
export function mountCopy(page) {
  const form = select("copy-form");
  const candidates = select("copy-candidates");
  const latest = new Latest();

  /** Writes the grid in the chosen form. */
  async function draw() {
    const signal = latest.begin();
    const { grid } = page;
    const hasCandidates = WITH_CANDIDATES.includes(form.value);
    const shown = hasCandidates ? { ...grid, removed: candidates.value === "rules" ? [] : removedOf(page) } : grid;
    button("copy-take").disabled = true;
    elementById("copy-candidates-label").hidden = !hasCandidates;
    try {
      const question = { grid: shown, form: form.value, symbols: page.settings.symbols };
      const text = await (ADDRESSES[form.value]?.(grid) ?? ask("write", question, signal).then((answer) => answer.text));
      if (signal.aborted) return;
      area("copy-text").value = text;
      button("copy-take").disabled = false;
    } catch (error) {
      if (!signal.aborted) dialog("copy-dialog").close();
      showError(error);
    }
  }
  for (const list of [form, candidates]) list.addEventListener("change", draw);
  dialog("copy-dialog").addEventListener("close", () => latest.stop());
  const picture = () => drawing(page.grid, (digit) => page.write(digit), marksOnBoard());
  onClicks({
    "copy-as": () => {
      const isFit = (/** @type {string} */ name) =>
        (page.grid.shape === "3x3" || !CLASSIC.includes(name)) && (page.geometry.side <= MAX_SIDE_ELSEWHERE || !(name in ADDRESSES));
      for (const option of form.options) option.disabled = !isFit(option.value);
      if (form.selectedOptions[0]?.disabled) form.value = "framed";
      dialog("copy-dialog").showModal();
      draw();
    },
    "copy-take": async () => {
      dialog("copy-dialog").close();
      await toClipboard(area("copy-text").value, "Copied");
    },
    "save-svg": () => save("sudoku.svg", new Blob([svgOf(picture())], { type: "image/svg+xml" })),
    "save-png": () => pngOf(picture()).then((blob) => save("sudoku.png", blob)).catch(showError),
  });
}

/**
 * The candidates that follow from the rules but are not shown: those that were removed, and, if the page shows true candidates,
 * those that occur in no solution.
 * @param {Page} page
 * @returns {[number, number][]}
 */
function removedOf({ grid, settings, analysis }) {
  const known = settings.marks === "true" ? analysis.candidates?.solutions : undefined;
  if (!known) return grid.removed;
  return candidatesOf({ ...grid, removed: [] }).flatMap((open, cell) => [...open].filter((digit) => !known[cell][digit - 1]).map((digit) => /** @type {[number, number]} */ ([cell, digit])));
}

/** The candidates of each cell, as the grid shows them. */
function marksOnBoard() {
  const marks = (/** @type {Element} */ cell) => [...cell.querySelectorAll("[data-mark]")].map((mark) => Number(mark.getAttribute("data-mark")));
  return [...elementById("board").querySelectorAll("[data-cell]")].map(marks);
}
