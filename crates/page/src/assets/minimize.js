// @ts-check
// Removing clues: a single redundant one that the user selects, or as many as possible.

import { ask } from "./api.js";
import { box, button, counted, dialog, input, select, setText } from "./dom.js";
import { fill, placeName, symmetriesOf, wholeGrid } from "./grid.js";
import { note } from "./message.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Connects the buttons that remove redundant clues.
 * @param {Page} page
 */
export function mountMinimize(page) {
  mountRedundant(page);
  let running = new AbortController();
  const symmetry = select("minimize-symmetry");
  /** @param {boolean} isRunning */
  function setRunning(isRunning) {
    box("minimize-running").hidden = !isRunning;
    button("minimize-start").disabled = isRunning;
    setText(button("minimize-cancel"), isRunning ? "Stop" : "Cancel");
  }
  const selectedClues = () => [...page.selected].filter((cell) => page.grid.clues[cell]);
  button("minimize").addEventListener("click", () => {
    const names = ["none", ...symmetriesOf(page.grid)];
    for (const option of symmetry.options) option.hidden = option.disabled = !names.includes(option.value);
    symmetry.value = "none";
    const selected = selectedClues().length;
    input("minimize-keep").checked = false;
    input("minimize-keep").disabled = !selected;
    setText(box("minimize-keep-text"), `Keep what is selected: ${counted(selected, "clue")}`);
    setRunning(false);
    dialog("minimize-dialog").showModal();
  });
  button("minimize-start").addEventListener("click", async () => {
    running = new AbortController();
    setRunning(true);
    const { grid } = page;
    const seed = input("minimize-seed").value;
    const keep = input("minimize-keep").checked ? selectedClues() : [];
    const question = { grid, seed: seed === "" ? 1 : Number(seed), symmetry: symmetry.value, keep };
    try {
      const { clues, taken } = await ask("minimize", question, running.signal);
      if (page.grid === grid) page.put(wholeGrid({ ...grid, clues, entries: [], removed: [] }), { isLoad: true, origin: page.origin });
      note(taken ? `${counted(taken, "clue")} taken out` : "No clue can go");
    } catch (error) {
      page.fail(error);
    }
    dialog("minimize-dialog").close();
  });
  dialog("minimize-dialog").addEventListener("close", () => running.abort());
}

/**
 * Connects the button that removes the redundant clue at the cursor. The other redundant clues are then searched for again, because
 * some of them may now be needed.
 * @param {Page} page
 */
function mountRedundant(page) {
  const take = button("redundant-take");
  const draw = () => {
    const { redundant, stale } = page.analysis;
    const cells = redundant && !stale.has("redundant") ? redundant.cells : [];
    take.hidden = !redundant?.cells.length;
    take.disabled = !cells.includes(page.cursor);
    setText(take, take.disabled ? "Select one to take it out" : `Take out ${placeName(page.geometry.side, page.cursor)}`);
  };
  take.addEventListener("click", () => page.put(fill(page.grid, [page.cursor], 0, true)));
  page.on(["grid", "selection", "analysis"], draw);
  draw();
}
