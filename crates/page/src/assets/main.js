// @ts-check
// Puts the page together.

import { mountAddress } from "./address.js";
import { ask } from "./api.js";
import { mountBoard } from "./board.js";
import { Collection } from "./collection.js";
import { box, button, mark } from "./dom.js";
import { wholeGrid } from "./grid.js";
import { mountKeys } from "./keys.js";
import { fail, mountMessage, outdate, recover } from "./message.js";
import { mountOrigin, recall } from "./origin.js";
import { Page } from "./page.js";
import { mountPanel } from "./panel.js";
import { mountTools, paste } from "./tools.js";

const page = new Page();
page.fail = fail;

/** @type {string | null} the tab that is shown, if there are two */
let tab = null;

/** @param {string | null} next */
function showTab(next) {
  if (box("tabs").hidden) return;
  tab = next === "collection" ? "collection" : "grid";
  for (const name of ["collection", "grid"]) {
    const isShown = name === tab;
    mark(button(`tab-${name}`), { "aria-selected": String(isShown), tabindex: isShown ? 0 : -1 });
    box(name === "grid" ? "grid-page" : name).hidden = !isShown;
  }
  page.show(tab === "grid");
}

mountMessage();
mountBoard(page);
mountPanel(page);
mountKeys(page, (text) => void paste(page, text).catch(fail));
mountTools(page);
const findNeighbours = mountOrigin(page);
page.on("analysis", (part) => part === "count" && recover("analysis"));

// The collection comes first if the address has no grid. It is not known yet whether there is a collection.
page.show(/[#&]clues=/.test(location.hash) && !location.hash.includes("&tab=collection"));
const address = mountAddress(page, {
  tab: () => (tab === "collection" ? tab : null),
  showTab,
  recall: (row) => void recall(page, row).catch(fail),
});
// Behind what the address said of its own grid, which stays until that changes.
page.on("grid", outdate);
mountTabs()
  .catch(fail)
  .finally(() => page.show(tab !== "collection"));

/** Shows the collection beside the grid, if there is one. */
async function mountTabs() {
  const state = await ask("collection", {});
  if (!state?.files.length) return;
  box("tabs").hidden = false;
  new Collection({
    expect: () => page.expect().signal,
    openGrid(grid, origin) {
      showTab("grid");
      page.put(wholeGrid(/** @type {import("./grid.js").Grid} */ (grid)), { isLoad: true, origin });
      address.push();
    },
  });
  for (const name of ["collection", "grid"]) button(`tab-${name}`).addEventListener("click", () => turnTo(name));
  box("tabs").addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.altKey || event.metaKey;
    if (isCommand || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    turnTo(tab === "grid" ? "collection" : "grid");
    button(`tab-${tab}`).focus();
  });
  const { place } = address;
  showTab(place ? place.tab : "collection");
  if (typeof place?.row === "number") await recall(page, place.row);
}

/** @param {string} name */
function turnTo(name) {
  showTab(name);
  if (name === "grid") findNeighbours();
  address.push();
}
