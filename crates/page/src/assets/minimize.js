// @ts-check
// Removing clues: a single redundant one that the user selects, or as many as possible.

import { ask } from "./api.js";
import { box, button, counted, input, select, setText } from "./dom.js";
import { fill, placeName, symmetriesOf, wholeGrid } from "./grid.js";
import { note } from "./message.js";
import { mountWork } from "./work.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Connects the buttons that remove redundant clues.
 * @param {Page} page
 */
export function mountMinimize(page) {
  const symmetry = select("minimize-symmetry");
  const selectedClues = () => [...page.selected].filter((cell) => page.grid.clues[cell]);

  function prepare() {
    const names = ["none", ...symmetriesOf(page.grid)];
    for (const option of symmetry.options) option.hidden = option.disabled = !names.includes(option.value);
    symmetry.value = "none";
    const selected = selectedClues().length;
    input("minimize-keep").checked = false;
    input("minimize-keep").disabled = !selected;
    setText(box("minimize-keep-text"), `Keep what is selected: ${counted(selected, "clue")}`);
  }

  mountWork("minimize", prepare, async (signal) => {
    const { grid } = page;
    const keep = input("minimize-keep").checked ? selectedClues() : [];
    // An empty field is the usual seed, but 0 is a seed of its own.
    const seed = Number(input("minimize-seed").value || 1);
    const { clues, taken } = await ask("minimize", { grid, seed, symmetry: symmetry.value, keep }, signal);
    if (page.grid === grid) page.put(wholeGrid({ ...grid, clues, entries: [], removed: [] }), { isLoad: true, origin: page.origin });
    note(taken ? `${counted(taken, "clue")} taken out` : "No clue can go");
  });
  mountRedundant(page);
}

/**
 * Connects the button that removes the redundant clue at the cursor. The other redundant clues are then searched for again, because
 * some of them may now be needed.
 * @param {Page} page
 */
function mountRedundant(page) {
  const take = button("redundant-take");
  take.addEventListener("click", () => page.put(fill(page.grid, [page.cursor], 0, true)));
  page.follow(["grid", "selection", "analysis"], () => {
    const { redundant, stale } = page.analysis;
    take.hidden = !redundant?.cells.length;
    take.disabled = stale.has("redundant") || !redundant?.cells.includes(page.cursor);
    setText(take, take.disabled ? "Select one to take it out" : `Take out ${placeName(page.geometry.side, page.cursor)}`);
  });
}
