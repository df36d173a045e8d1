// @ts-check
// Keeps the address in step with the page, and the page with the address.

import { fromFragment, toFragment } from "./address.js";
import { candidateCap } from "./page.js";

/** @typedef {import("./page.js").Page} Page */

/** Milliseconds between two changes of the address while somebody types: browsers bound how often it may change. */
const PAUSE = 300;

/** How parts of the address begin that the collection keeps there. */
const OTHERS = "c.";

/** The caps that the address does not name. */
const USUAL_CAP = 1_000_000;
const USUAL_EACH = 8;

/**
 * Begins with the grid of the address, writes the page to it, and reads it back where the reader goes back or changes it.
 * @param {Page} page
 * @param {{tab: () => string | null, showTab: (tab: string | null) => void, recall: (row: number) => void}} tabs
 */
export function mountAddress(page, tabs) {
  let timer = 0;
  let written = 0;
  /** @type {string | null} the fragment that is to be written */
  let waiting = null;

  function fragment() {
    const { cap, marks, candidateCap: each } = page.settings;
    const others = location.hash.slice(1).split("&").filter((part) => part.startsWith(OTHERS));
    const own = toFragment({
      grid: page.grid,
      row: page.origin?.row ?? null,
      cap: cap === USUAL_CAP ? null : cap,
      marks: marks === "off" ? null : marks,
      each: marks !== "true" || each === USUAL_EACH ? null : each,
      tab: tabs.tab(),
    });
    return `#${[own, ...others].join("&")}`;
  }

  /** Writes what waits to be written. */
  function flush() {
    clearTimeout(timer);
    if (waiting !== null) history.replaceState(null, "", waiting);
    if (waiting !== null) written = performance.now();
    waiting = null;
  }

  function replaceSoon() {
    clearTimeout(timer);
    waiting = fragment();
    timer = window.setTimeout(flush, Math.max(0, PAUSE - (performance.now() - written)));
  }

  function push() {
    flush();
    if (location.hash !== fragment()) history.pushState(null, "", fragment());
  }

  /** Returns what the address says, and tells if its grid can't be read. */
  function look() {
    const place = fromFragment(location.hash);
    if (!place && /[#&](shape|clues)=/.test(location.hash)) {
      page.fail(new Error("The grid in the address can't be read: was a part of it cut off?"));
    }
    return place;
  }

  function goThere() {
    const place = look();
    tabs.showTab(place ? place.tab : "collection");
    if (!place) return;
    page.set(settingsOf(place));
    const isSameRecord = page.origin?.row === place.row;
    page.put(place.grid, { isFromAddress: true, origin: isSameRecord ? page.origin : null });
    clearTimeout(timer);
    waiting = null;
    if (place.row !== null && !isSameRecord) tabs.recall(place.row);
  }

  page.on("grid", ({ isLoad, isFromAddress }) => {
    if (isFromAddress) return;
    if (isLoad) push();
    else replaceSoon();
  });
  addEventListener("popstate", goThere);
  addEventListener("pagehide", flush);
  const place = look();
  page.begin(place?.grid ?? page.grid, place ? settingsOf(place) : {});
  page.on("settings", replaceSoon);
  return { place, push };
}

/** @param {import("./address.js").Place} place */
function settingsOf({ cap, marks, each }) {
  const settings = { cap: cap ?? USUAL_CAP, marks: marks ?? "off" };
  return marks === "true" ? { ...settings, candidateCap: candidateCap(each ?? USUAL_EACH) } : settings;
}
