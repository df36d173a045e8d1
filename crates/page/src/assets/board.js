// @ts-check
// The grid in the document. The look of each cell follows from the grid, its analysis and the step that is shown; the links of that
// step are drawn above the cells. Only cells whose look has changed are written.

import { candidatesOf, cellName, COLOURS, marksByCell, markColumns, wantedCells } from "./grid.js";
import { byId, element, elementById, setAttributes, setText } from "./dom.js";

/**
 * @typedef {import("./page.js").Page} Page
 * @typedef {import("./live.js").Step} Step
 * @typedef {{digit: number, text: string, look: string, solutions: number | null, title: string}} Mark
 * @typedef {{digit: number, text: string, same: boolean}} Own a pencilmark that the solver made
 * @typedef {{text: string, marks: Mark[], corner: Own[], centre: Own[], attributes: Record<string, string | number | boolean>}} Look
 */

/**
 * Shows the grid of the page, and updates it.
 * @param {Page} page
 */
export function mountBoard(page) {
  const board = elementById("board");
  /** @type {HTMLElement[]} */
  let cells = [];
  /** @type {string[]} */
  let keys = [];
  let shape = "";

  function draw() {
    if (shape !== page.grid.shape) {
      shape = page.grid.shape;
      cells = build(board, page);
      keys = [];
    }
    const looks = looksOf(page);
    // This is for print: paper shows only the candidates that the user chose, not those of a step.
    elementById("sheet").dataset.marks = page.marks;
    setAttributes(board, { "data-marks": looks.some((look) => look.marks.length) });
    looks.forEach((look, cell) => {
      const key = JSON.stringify(look);
      if (keys[cell] === key) return;
      keys[cell] = key;
      show(cells[cell], look, markColumns(page.geometry.side));
    });
    drawLinks(page.geometry, shownStep(page));
  }

  page.follow(["grid", "settings", "solution", "mode", "overlay"], draw);
  page.on("analysis", (part) => part !== "solution" && (part !== "count" || page.analysis.is_final) && draw());
  page.on("selection", () => {
    draw();
    if (board.contains(document.activeElement)) cells[page.cursor].focus();
  });
}

/**
 * Makes the cells of a shape.
 * @param {HTMLElement} board
 * @param {Page} page
 */
function build(board, page) {
  const { side, rows, columns } = page.geometry;
  const sheet = elementById("sheet");
  sheet.style.setProperty("--side", String(side));
  sheet.style.setProperty("--mark-columns", String(markColumns(side)));
  sheet.dataset.side = side > 9 ? "large" : "small";
  setAttributes(board, { "aria-rowcount": side, "aria-colcount": side });
  /** @type {HTMLElement[]} */
  const cells = [];
  const lines = Array.from({ length: side }, (_, row) => {
    const line = element("div", { role: "row", "aria-rowindex": row + 1 });
    for (let column = 0; column < side; column += 1) {
      const cell = element("div", {
        role: "gridcell",
        "aria-colindex": column + 1,
        "data-cell": row * side + column,
        "data-left": column % columns === 0,
        "data-top": row % rows === 0,
      });
      cell.append(...["digit", "marks", "corner", "centre"].map((name) => element("span", { class: name, "aria-hidden": name === "digit" ? null : "true" })));
      cells.push(cell);
      line.append(cell);
    }
    return line;
  });
  board.replaceChildren(...lines);
  return cells;
}

/**
 * Writes the look of a cell.
 * @param {HTMLElement} cell
 * @param {Look} look
 * @param {number} columns the columns of candidates
 */
function show(cell, look, columns) {
  setAttributes(cell, look.attributes);
  const [digit, marks, corner, centre] = cell.children;
  setText(digit, look.text);
  marks.replaceChildren(...look.marks.map((candidate) => markElement(candidate, columns)));
  const own = (/** @type {string} */ kind, /** @type {Own[]} */ marks) =>
    marks.map(({ digit, text, same }) => element("span", { [`data-${kind}`]: digit, "data-same": same }, text));
  corner.replaceChildren(...own("corner", look.corner));
  centre.replaceChildren(...own("centre", look.centre));
  setAttributes(centre, { "data-many": look.centre.length > 4 });
}

/**
 * @param {Mark} candidate
 * @param {number} columns
 */
function markElement({ digit, text, look, solutions, title }, columns) {
  const made = element("span", { "data-mark": digit, "data-look": look, "data-solutions": solutions, title: title ? `${text}: ${title}` : null }, text);
  const place = digit - 1;
  made.style.gridArea = `${Math.floor(place / columns) + 1} / ${(place % columns) + 1}`;
  return made;
}

/**
 * The look of all cells.
 * @param {Page} page
 * @returns {Look[]}
 */
function looksOf(page) {
  const { settings, analysis, shownSolution, highlight } = page;
  const grid = page.shownGrid;
  const shape = page.geometry;
  const step = shownStep(page);
  const pattern = new Set(step?.pattern.map(([cell]) => cell));
  const houses = new Set(step?.house_cells.flat());
  const conflicts = new Set(page.contradictions.flatMap(({ cells }) => cells));
  const wrong = new Set(page.contradictions.flatMap(({ cells, isWrong }) => (isWrong && settings.isSolving ? cells : [])));
  const redundant = new Set(settings.isRedundantWanted ? analysis.redundant?.cells : []);
  const inStep = stepLooks(step);
  const marks = marksOf(page, inStep);
  const [corner, centre, colours] = ownMarks(page);
  const wanted = page.mode === "clues" ? wantedCells(grid, settings.symmetry) : new Set();
  return grid.clues.map((clue, cell) => {
    const answer = shownSolution ? shownSolution[cell] : grid.entries[cell];
    const digit = clue || answer;
    const kind = clue ? "clue" : !digit ? "open" : shownSolution ? "solution" : "answer";
    const isRepeated = conflicts.has(cell) && !shownSolution;
    /** @type {Look["attributes"]} */
    const attributes = {
      "aria-selected": String(page.selected.has(cell)),
      tabindex: page.cursor === cell ? 0 : -1,
      "data-digit": digit || "",
      "data-kind": kind,
      "data-conflict": isRepeated,
      "data-wrong": isRepeated && kind === "answer",
      "data-redundant": redundant.has(cell),
      "data-same": digit > 0 && digit === highlight,
      "data-colour": COLOURS[colours[cell]?.[0] - 1] ?? false,
      "data-wanted": wanted.has(cell) && !digit,
      "data-house": houses.has(cell),
      "data-pattern": pattern.has(cell),
      "data-changed": page.changedCells.has(cell) && kind === "solution",
    };
    // There is room for one kind: the candidates of a step come before pencilmarks, and pencilmarks before other candidates.
    const isOwn = !digit && (corner[cell]?.length || centre[cell]?.length) && !inStep[cell];
    /** @type {(digits: number[]) => Own[]} */
    const own = (digits) => (isOwn ? digits.map((digit) => ({ digit, text: page.write(digit), same: digit === highlight })) : []);
    const look = { text: page.write(digit), marks: digit || isOwn ? [] : marks[cell], corner: own(corner[cell]), centre: own(centre[cell]), attributes };
    attributes["aria-label"] = label(cellName(shape, cell), look, wrong.has(cell));
    return look;
  });
}

/**
 * The pencilmarks in corners and centres, and the colours, by cell. There are none while the user sets a puzzle, because only
 * solvers make them.
 * @param {Page} page
 */
function ownMarks({ grid, settings }) {
  const kinds = /** @type {const} */ (["corner", "centre", "colours"]);
  return kinds.map((kind) => (settings.isSolving ? marksByCell(grid, kind) : []));
}

/** The step that is shown on the grid. @param {Page} page */
function shownStep(page) {
  const isShown = page.settings.isStepShown || page.shownPath;
  return isShown && !page.shownSolution ? page.step : undefined;
}

/**
 * The description of a cell for screen readers, e.g. "row 4, column 5: 7, clue".
 * @param {string} name
 * @param {Look} look
 * @param {boolean} isWrong
 */
function label(name, look, isWrong) {
  const { text, marks, attributes } = look;
  const kind = attributes["data-kind"];
  const words = [`${name}: ${kind === "open" ? "empty" : `${text}, ${kind}`}`];
  if (isWrong) words.push("wrong");
  else if (attributes["data-conflict"]) words.push("in a contradiction");
  if (attributes["data-colour"]) words.push(String(attributes["data-colour"]));
  if (attributes["data-redundant"]) words.push("redundant");
  if (attributes["data-wanted"]) words.push("the symmetry needs a clue here");
  if (attributes["data-pattern"]) words.push("in the pattern of the step");
  for (const kind of /** @type {const} */ (["corner", "centre"])) {
    if (look[kind].length) words.push(`${kind} ${look[kind].map((own) => own.text).join(" ")}`);
  }
  if (marks.length) words.push(`candidates ${marks.map((mark) => (mark.title ? `${mark.text} (${mark.title})` : mark.text)).join(" ")}`);
  return words.join(", ");
}

/**
 * The candidates to show in each cell.
 * @param {Page} page
 * @param {Map<number, string>[]} looks of the step
 * @returns {Mark[][]}
 */
function marksOf(page, looks) {
  const { analysis } = page;
  const grid = page.shownGrid;
  const isTrue = page.marks === "true" && !page.shownPath;
  const known = isTrue ? analysis.candidates : null;
  const byRules = candidatesOf(grid);
  return grid.clues.map((_, cell) => {
    /** @type {Map<number, Mark>} */
    const marks = new Map();
    /** @param {number} digit @param {string} look @param {number | null} solutions @param {string} title */
    const add = (digit, look, solutions, title) => marks.set(digit, { digit, text: page.write(digit), look, solutions, title });
    known?.solutions[cell].forEach((solutions, place) => {
      if (solutions) add(place + 1, solutions === 1 && known.cap > 1 ? "one" : "", solutions, howMany(solutions, known.cap));
    });
    if (page.marks === "rules" || (looks[cell] && !isTrue)) byRules[cell].forEach((digit) => add(digit, "", null, ""));
    looks[cell]?.forEach((look, digit) => add(digit, look, marks.get(digit)?.solutions ?? null, LOOK_WORDS[look]));
    return [...marks.values()].sort((a, b) => a.digit - b.digit);
  });
}

/** @type {Record<string, string>} */
const LOOK_WORDS = { pattern: "pattern", removed: "is removed", placed: "is placed" };

/**
 * The number of solutions of a candidate, in words, e.g. "8 solutions or more" if the count stopped at 8.
 * @param {number} solutions
 * @param {number} cap
 */
export function howMany(solutions, cap) {
  if (solutions >= cap) return cap === 1 ? "in some solution" : `${cap} solutions or more`;
  return solutions === 1 ? "1 solution" : `${solutions} solutions`;
}

/**
 * The looks of the candidates of a step, by cell.
 * @param {Step | undefined} step
 * @returns {Map<number, string>[]}
 */
function stepLooks(step) {
  /** @type {Map<number, string>[]} */
  const looks = [];
  /** @param {[number, number]} candidate @param {string} look */
  const add = ([cell, digit], look) => (looks[cell] ??= new Map()).set(digit, look);
  step?.pattern.forEach((candidate) => add(candidate, "pattern"));
  step?.removed.forEach((candidate) => add(candidate, "removed"));
  if (step?.placed) add(step.placed, "placed");
  return looks;
}

/** A chain with more links than this is drawn link by link, because all of its arrows at once would be a tangle. */
export const LONG = 8;
/** The size of a cell in the drawing. */
const CELL = 100;
/** The share of a cell that is left free at each edge. The style sheet has the same value. */
const EDGE = 0.04;
const SVG = "http://www.w3.org/2000/svg";

/**
 * Draws the links of a step, or removes them.
 * @param {import("./grid.js").Geometry} geometry
 * @param {Step | undefined} step
 */
function drawLinks({ side }, step) {
  const overlay = byId("overlay", SVGSVGElement);
  const links = step?.links ?? [];
  overlay.toggleAttribute("data-drawn", links.length > 0);
  overlay.toggleAttribute("data-long", links.length > LONG);
  overlay.setAttribute("viewBox", `0 0 ${side * CELL} ${side * CELL}`);
  overlay.querySelectorAll("[data-link], [data-node]").forEach((element) => element.remove());
  /** @type {Map<string, {at: [number, number], isTrue: boolean}>} */
  const nodes = new Map();
  for (const [from, digit, isTrue, to, other, isOtherTrue] of links) {
    for (const cell of from) nodes.set(`${cell} ${digit}`, { at: middle(cell, digit, side), isTrue });
    for (const cell of to) nodes.set(`${cell} ${other}`, { at: middle(cell, other, side), isTrue: isOtherTrue });
    // A link may join groups of candidates. Its arrow joins the two that are nearest to each other.
    const pairs = from.flatMap((cell) => to.map((end) => ({ start: middle(cell, digit, side), end: middle(end, other, side) })));
    const nearest = pairs.reduce((best, pair) => (distance(pair) < distance(best) ? pair : best));
    overlay.append(arrow(nearest.start, nearest.end, isTrue, radius(side)));
  }
  for (const { at: [cx, cy], isTrue } of nodes.values()) overlay.append(svg("circle", { cx, cy, r: radius(side), "data-node": isTrue ? "on" : "off" }));
}

/**
 * Highlights a link of the step, and fades the others; null highlights all.
 * @param {number | null} index
 */
export function lightLink(index) {
  const links = byId("overlay", SVGSVGElement).querySelectorAll("[data-link]");
  links.forEach((link, place) => link.toggleAttribute("data-faded", index !== null && place !== index));
}

/** @param {{start: [number, number], end: [number, number]}} pair */
const distance = ({ start, end }) => Math.hypot(end[0] - start[0], end[1] - start[1]);

/** @param {number} side */
const radius = (side) => (CELL / markColumns(side)) * 0.4;

/**
 * The middle of a candidate.
 * @param {number} cell
 * @param {number} digit
 * @param {number} side
 * @returns {[number, number]}
 */
function middle(cell, digit, side) {
  const columns = markColumns(side);
  const rows = Math.ceil(side / columns);
  const within = (/** @type {number} */ index, /** @type {number} */ of) => EDGE + ((index + 0.5) / of) * (1 - 2 * EDGE);
  const x = (cell % side) + within((digit - 1) % columns, columns);
  const y = Math.floor(cell / side) + within(Math.floor((digit - 1) / columns), rows);
  return [x * CELL, y * CELL];
}

/**
 * Makes an arrow that is bent a little, so that it does not cover others. A weak link, where the first digit excludes the second,
 * is dashed.
 * @param {[number, number]} start
 * @param {[number, number]} end
 * @param {boolean} isTrue
 * @param {number} gap
 */
function arrow([x, y], [endX, endY], isTrue, gap) {
  const [across, down] = [endX - x, endY - y];
  const length = Math.hypot(across, down) || 1;
  const [unitX, unitY] = [across / length, down / length];
  const bend = Math.min(length * 0.12, CELL * 0.6);
  const bent = [(x + endX) / 2 - unitY * bend, (y + endY) / 2 + unitX * bend];
  const edge = Math.min(gap, length / 3);
  const [fromX, fromY] = towards([x, y], bent, edge);
  const [toX, toY] = towards([endX, endY], bent, edge * 1.3);
  return svg("path", {
    d: `M${fromX} ${fromY}Q${bent[0]} ${bent[1]} ${toX} ${toY}`,
    "data-link": isTrue ? "weak" : "strong",
    "marker-end": "url(#arrow)",
  });
}

/**
 * The point on the way from start to end that has this distance from the start.
 * @param {number[]} start
 * @param {number[]} end
 * @param {number} distance
 */
function towards([x, y], [endX, endY], distance) {
  const length = Math.hypot(endX - x, endY - y) || 1;
  return [x + ((endX - x) / length) * distance, y + ((endY - y) / length) * distance].map(Math.round);
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
const svg = (name, attributes) => setAttributes(document.createElementNS(SVG, name), attributes);
