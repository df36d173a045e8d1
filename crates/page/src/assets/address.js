// @ts-check
// The address of the page. Its fragment holds the grid, some settings and the view of the collection, so that a link or a bookmark
// brings them back.

import { COLOURS, emptyGrid, geometry, SHAPES, wholeGrid } from "./grid.js";
import { showError } from "./message.js";
import { candidateCap, countCap, USUAL } from "./page.js";
import { lineOf, typedDigit } from "./symbols.js";
import { ENDLESS, NAME_FIELDS, NUMBER_FIELDS, SORT_KEYS, withField } from "./view.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./view.js").Filter} Filter */
/** @typedef {import("./view.js").NumberField} NumberField */
/** @typedef {import("./view.js").View} View */
/** @typedef {{grid: Grid, row: number | null, cap: number | null, marks: string | null, each: number | null, tab: string | null}} Place */

/** The ways to show candidates that an address can name. */
const MARKS = ["true", "rules"];
const SYMBOLS = "1-9A-G";

/** The parts of a grid that are pairs of a cell and a digit or colour. */
const PAIRS = /** @type {const} */ (["removed", "corner", "centre", "colours"]);

/** The prefix of the view's parts. It keeps them apart from the parts of the grid, e.g. `c.clues` and `clues`. */
const PREFIX = "c.";

/**
 * The time in milliseconds between two changes of the address while the user types, because browsers limit how often it may change.
 */
const PAUSE = 300;

/**
 * The parts of a fragment that belong to the view, or all others.
 * @param {string} fragment
 * @param {boolean} areOfView
 */
function partsOf(fragment, areOfView) {
  const parts = fragment.replace(/^#/, "").split("&");
  return parts.filter((part) => part !== "" && part.startsWith(PREFIX) === areOfView);
}

/**
 * Reads digits; null if the text does not fit the shape.
 * @param {string | null} text
 * @param {string} shape
 */
function read(text, shape) {
  const { cells, side } = geometry(shape);
  const digits = [...(text ?? "")].map((character) => (character === "." ? 0 : typedDigit(character, side, SYMBOLS)));
  return digits.length === cells && digits.every((digit) => digit !== null) ? digits : null;
}

/**
 * Makes the fragment of a page, without the number sign and the view. Default values are left out.
 * @param {Page} page
 * @param {string | null} tab
 */
function toFragment({ grid, origin, settings, geometry: { side } }, tab) {
  const write = (/** @type {number[]} */ digits) => lineOf(digits, side, SYMBOLS);
  const { cap, marks, candidateCap } = settings;
  const parts = Object.entries({
    shape: grid.shape,
    clues: write(grid.clues),
    entries: grid.entries.some(Boolean) && write(grid.entries),
    ...Object.fromEntries(PAIRS.map((kind) => [kind, writePairs(side, grid[kind])])),
    row: origin?.row,
    cap: cap !== USUAL.cap && cap,
    marks: marks !== "off" && marks,
    each: marks === "true" && candidateCap !== USUAL.candidateCap && candidateCap,
    tab,
  });
  return parts.filter(([, value]) => value || value === 0).map(([name, value]) => `${name}=${value}`);
}

/**
 * Reads a fragment; null if it has no valid grid.
 * @param {string} fragment
 * @returns {Place | null}
 */
export function fromFragment(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const shape = parts.get("shape") ?? "";
  if (!SHAPES.includes(shape)) return null;
  const clues = read(parts.get("clues"), shape);
  if (!clues) return null;
  const entries = read(parts.get("entries"), shape) ?? emptyGrid(shape).entries;
  const pairs = Object.fromEntries(PAIRS.map((kind) => [kind, readPairs(parts.get(kind) ?? "", shape, kind)]));
  return {
    grid: wholeGrid({ shape, clues, entries, ...pairs }),
    row: whole(parts.get("row")),
    cap: whole(parts.get("cap")),
    marks: MARKS.find((name) => name === parts.get("marks")) ?? null,
    each: whole(parts.get("each")),
    tab: parts.get("tab"),
  };
}

/** @param {string | null} text */
const whole = (text) => text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;

/**
 * @param {number} side
 * @param {import("./grid.js").Pairs} pairs
 */
function writePairs(side, pairs) {
  /** @type {Map<number, string>} */
  const cells = new Map();
  pairs.forEach(([cell, digit]) => cells.set(cell, (cells.get(cell) ?? "") + lineOf([digit], side, SYMBOLS)));
  return [...cells].map(([cell, digits]) => `${cell}.${digits}`).join("_");
}

/**
 * @param {string} text
 * @param {string} shape
 * @param {string} kind
 * @returns {import("./grid.js").Pairs}
 */
function readPairs(text, shape, kind) {
  const { cells, side } = geometry(shape);
  const last = kind === "colours" ? COLOURS.length : side;
  /** @type {import("./grid.js").Pairs} */
  const pairs = [];
  for (const part of text.split("_")) {
    const [cell, digits] = part.split(".");
    for (const character of digits ?? "") pairs.push([whole(cell) ?? cells, typedDigit(character, Math.max(side, last), SYMBOLS) ?? 0]);
  }
  return pairs.filter(([cell, digit]) => cell < cells && digit > 0 && digit <= last);
}

/**
 * Replaces the view in a fragment. Default values are left out, so that addresses stay short.
 * @param {string} fragment
 * @param {View} view
 */
export function withView(fragment, { filter, sort, columns, record }) {
  const parts = partsOf(fragment, false);
  const add = (/** @type {string} */ name, /** @type {string | number} */ value) => parts.push(`${PREFIX}${name}=${value}`);
  for (const field of NUMBER_FIELDS) {
    const [least, most] = filter[field] ?? [];
    if (most !== undefined) add(field, `${least || ""}..${most === ENDLESS[field] ? "" : most}`);
  }
  for (const field of NAME_FIELDS) if (filter[field]) add(field, filter[field].map(encodeURIComponent).join(","));
  if (filter.file !== undefined) add("file", filter.file + 1);
  if (filter.find !== undefined) add("find", encodeURIComponent(filter.find));
  if (filter.puzzle) {
    const { shape, clues, isomorphic } = filter.puzzle;
    add(isomorphic ? "isomorph" : "puzzle", `${shape},${lineOf(clues, geometry(shape).side, SYMBOLS)}`);
  }
  if (sort.by !== "row" || sort.descending) add("sort", `${sort.by}${sort.descending ? ",descending" : ""}`);
  if (columns) add("columns", columns.map(encodeURIComponent).join(","));
  if (record !== null) add("record", record + 1);
  return parts.join("&");
}

/**
 * Reads the view in a fragment. Invalid parts are ignored.
 * @param {string} fragment
 * @returns {View}
 */
export function readView(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const text = (/** @type {string} */ name) => values.get(PREFIX + name) ?? "";
  const index = (/** @type {string} */ name) => (/^[1-9]\d{0,14}$/.test(text(name)) ? Number(text(name)) - 1 : undefined);
  /** @type {Filter} */
  let filter = withField({}, "file", index("file"));
  for (const field of NUMBER_FIELDS) filter = withField(filter, field, readBounds(field, text(field)));
  for (const field of NAME_FIELDS) filter = withField(filter, field, text(field).split(",").filter(Boolean));
  filter = withField(filter, "find", text("find"));
  filter = withField(filter, "puzzle", readPuzzle(text("isomorph"), true) ?? readPuzzle(text("puzzle"), false));
  const [by, direction] = text("sort").split(",");
  const sort = { by: SORT_KEYS.find((known) => known === by) ?? "row", descending: direction === "descending" };
  // Names of columns may contain commas, so the text is split before it is decoded.
  const names = partsOf(fragment, true).find((part) => part.startsWith(`${PREFIX}columns=`))?.split("=")[1];
  return { filter, sort, columns: names?.split(",").filter(Boolean).map(decode) ?? null, record: index("record") ?? null };
}

/**
 * @param {string} text
 * @param {boolean} isomorphic
 */
function readPuzzle(text, isomorphic) {
  const [shape, line] = text.split(",");
  const clues = SHAPES.includes(shape) ? read(line ?? "", shape) : null;
  return clues ? { shape, clues, isomorphic } : undefined;
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {NumberField} field
 * @param {string} text
 */
function readBounds(field, text) {
  const [least, most, rest] = text.split("..");
  const bounds = [Number(least), most === "" ? ENDLESS[field] : Number(most)];
  const isRange = text.length > 2 && rest === undefined && bounds[0] >= 0 && bounds[0] <= bounds[1];
  return isRange && (field === "er" || bounds.every(Number.isSafeInteger)) ? bounds : undefined;
}

/**
 * Loads the grid of the address, keeps the address up to date, and loads it again when the user goes back or edits it.
 * @param {Page} page
 * @param {{tab: () => string | null, home: () => string, showTab: (tab: string | null) => void, recall: (row: number) => void}} tabs
 */
export function mountAddress(page, tabs) {
  let timer = 0;
  let written = 0;
  /** @type {string | null} the fragment that is written next */
  let waiting = null;

  const fragment = () => `#${[...toFragment(page, tabs.tab()), ...partsOf(location.hash, true)].join("&")}`;

  /** Writes the pending fragment now. */
  function flush() {
    clearTimeout(timer);
    if (waiting === null) return;
    history.replaceState(null, "", waiting);
    [waiting, written] = [null, performance.now()];
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

  /** Reads the address, and shows an error if its grid can't be read. */
  function look() {
    const place = fromFragment(location.hash);
    if (!place && /[#&](shape|clues)=/.test(location.hash)) {
      showError(new Error("The grid in the address can't be read; perhaps a part of the address is missing. Copy it again."));
    }
    return place;
  }

  function goThere() {
    const place = look();
    tabs.showTab(place ? place.tab : tabs.home());
    if (!place) return;
    page.setForNow(settingsOf(place));
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

/** @param {Place} place */
function settingsOf({ cap, marks, each }) {
  const settings = { cap: countCap(cap ?? USUAL.cap), marks: marks ?? "off" };
  return marks === "true" ? { ...settings, candidateCap: candidateCap(each ?? USUAL.candidateCap) } : settings;
}
