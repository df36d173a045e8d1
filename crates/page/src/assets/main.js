// @ts-check
// Starts the page and connects its parts.

import { mountAddress } from "./address.js";
import { ask } from "./api.js";
import { mountBoard } from "./board.js";
import { mountBook } from "./book.js";
import { Collection } from "./collection.js";
import { button, counted, elementById, number, setAttributes } from "./dom.js";
import { mountKeys } from "./keys.js";
import { clearErrorOf, clearGridMessages, mountMessage, showError } from "./message.js";
import { mountOrigin, recall } from "./origin.js";
import { Page } from "./page.js";
import { mountPanel } from "./panel.js";
import { mountPath } from "./path.js";
import { mountSolver } from "./solver.js";
import { mountTools, paste } from "./tools.js";

const page = new Page();

/** @type {string | null} the tab that is shown, as soon as it is known */
let tab = null;

/**
 * The name of the collection, which is the name of its file if there is only one; and the tab that an address without a grid opens.
 */
let [collectionName, home] = ["Collection", "grid"];

/** Names the grid or the collection in the title of the page, because browsers label tabs and bookmarks with it. */
function nameTitle() {
  const { origin, geometry, grid } = page;
  const clues = grid.clues.filter(Boolean).length;
  const ofRecord = origin && `record ${number(origin.number)} of ${origin.file}`;
  const ofGrid = ofRecord ?? (clues > 0 && `${geometry.side}×${geometry.side}, ${counted(clues, "clue")}`);
  document.title = [tab === "collection" ? collectionName : ofGrid, "gridmill"].filter(Boolean).join(" – ");
}

/** @param {string | null} next */
function showTab(next) {
  tab = next === "collection" ? "collection" : "grid";
  for (const name of ["collection", "grid"]) {
    const isShown = name === tab;
    setAttributes(button(`tab-${name}`), { "aria-selected": String(isShown), tabindex: isShown ? 0 : -1 });
    elementById(name === "grid" ? "grid-page" : name).hidden = !isShown;
  }
  page.live.show(tab === "grid");
  nameTitle();
}

mountMessage();
for (const mount of [mountBoard, mountPanel, mountPath, mountSolver, mountTools, mountBook]) mount(page);
mountKeys(page, (text) => void paste(page, text).catch(showError));
const findNeighbours = mountOrigin(page);
page.on("analysis", (part) => part === "count" && clearErrorOf("analysis"));

// The collection is the first tab if it has files and the address has no grid. Whether it has files is not known yet.
page.live.show(/[#&]clues=/.test(location.hash) && !location.hash.includes("&tab=collection"));
const address = mountAddress(page, {
  tab: () => (tab === "collection" ? tab : null),
  home: () => home,
  showTab,
  recall: (row) => void recall(page, row).catch(showError),
});
// This listener comes after the address has been read, so that an error about the grid in the address stays until the grid changes.
page.on("grid", clearGridMessages);
page.on("grid", nameTitle);
nameTitle();
mountTabs()
  .catch(showError)
  .finally(() => page.live.show(tab !== "collection"));

/** Shows the tabs of the collection and the grid. */
async function mountTabs() {
  const { files } = await ask("collection", {});
  new Collection(page, {
    openGrid({ grid, origin }) {
      showTab("grid");
      page.put(grid, { isLoad: true, origin });
      address.push();
    },
    rename(name, hasFiles) {
      collectionName = name;
      home = hasFiles ? "collection" : "grid";
      nameTitle();
    },
    show: () => turnTo("collection"),
  });
  for (const name of ["collection", "grid"]) button(`tab-${name}`).addEventListener("click", () => turnTo(name));
  elementById("tabs").addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.altKey || event.metaKey;
    if (isCommand || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    turnTo(tab === "grid" ? "collection" : "grid");
    button(`tab-${tab}`).focus();
  });
  const { place } = address;
  if (files.length > 0) home = "collection";
  showTab(place ? place.tab : home);
  if (typeof place?.row === "number") await recall(page, place.row);
}

/** @param {string} name */
function turnTo(name) {
  showTab(name);
  if (name === "grid") findNeighbours();
  address.push();
}
