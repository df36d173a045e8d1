// @ts-check
// Shapes and their houses; grids as values, where an edit makes a new grid; and contradictions that can be found without a search.

/**
 * @typedef {[number, number][]} Pairs of a cell and a digit or colour, in order
 * @typedef {{shape: string, clues: number[], entries: number[], removed: Pairs, corner: Pairs, centre: Pairs, colours: Pairs}} Grid
 * @typedef {{name: string, cells: number[]}} House
 * @typedef {{shape: string, rows: number, columns: number, side: number, cells: number, houses: House[], peers: number[][]}} Geometry
 */

/** The shapes on offer. For each side, the usual one comes first, e.g. 4x4 before 2x8. */
export const SHAPES = ["2x2", "2x3", "3x2", "2x4", "4x2", "3x3", "2x5", "5x2", "3x4", "4x3", "2x6", "6x2", "2x7", "7x2", "3x5", "5x3", "4x4", "2x8", "8x2", "3x6", "6x3", "2x9", "9x2", "4x5", "5x4", "2x10", "10x2", "3x7", "7x3", "2x11", "11x2", "4x6", "6x4", "3x8", "8x3", "2x12", "12x2", "5x5"];

/** @type {Map<string, Geometry>} */
const known = new Map();

/**
 * The houses and peers of a shape. A shape is named by the rows and columns of its boxes, e.g. 3x3.
 * @param {string} shape
 * @returns {Geometry}
 */
export function geometry(shape) {
  const found = known.get(shape) ?? measure(shape);
  known.set(shape, found);
  return found;
}

/**
 * @param {string} shape
 * @returns {Geometry}
 */
function measure(shape) {
  const [rows, columns] = shape.split("x").map(Number);
  const side = rows * columns;
  const all = [...Array(side).keys()];
  /** @type {(name: string, cell: (house: number, place: number) => number) => House[]} */
  const houses = (name, cell) => all.map((house) => ({ name: `${name} ${house + 1}`, cells: all.map((place) => cell(house, place)) }));
  /** @param {number} house @param {number} place */
  const inBox = (house, place) => {
    const row = Math.floor(house / rows) * rows + Math.floor(place / columns);
    return row * side + (house % rows) * columns + (place % columns);
  };
  const three = [
    ...houses("row", (house, place) => house * side + place),
    ...houses("column", (house, place) => place * side + house),
    ...houses("box", inBox),
  ];
  /** @type {Set<number>[]} */
  const peers = Array.from({ length: side * side }, () => new Set());
  for (const { cells } of three) {
    for (const cell of cells) cells.forEach((peer) => peer !== cell && peers[cell].add(peer));
  }
  return { shape, rows, columns, side, cells: side * side, houses: three, peers: peers.map((set) => [...set]) };
}

/**
 * The number of columns in which a cell shows its candidates, e.g. 3 for 9x9.
 * @param {number} side
 */
export const markColumns = (side) => Math.ceil(Math.sqrt(side));

/**
 * A grid without digits.
 * @param {string} shape
 * @returns {Grid}
 */
export const emptyGrid = (shape) => wholeGrid({ shape, clues: Array(geometry(shape).cells).fill(0) });

/**
 * Completes a grid that may lack some of its parts.
 * @param {{shape: string, clues: number[]} & Partial<Grid>} grid
 * @returns {Grid}
 */
export function wholeGrid({ shape, clues, entries = [], removed = [], corner = [], centre = [], colours = [] }) {
  return { shape, clues, entries: clues.map((clue, cell) => (clue ? 0 : (entries[cell] ?? 0))), removed, corner, centre, colours };
}

/** @param {Grid} grid */
export const digitsOf = (grid) => grid.clues.map((clue, cell) => clue || grid.entries[cell]);

/**
 * Whether two arrays of numbers are equal.
 * @param {number[]} one
 * @param {number[]} other
 */
export const isEqual = (one, other) => one.length === other.length && one.every((value, place) => value === other[place]);

/**
 * Puts a digit into some cells; 0 clears them. Answers do not replace clues.
 * @param {Grid} grid
 * @param {Iterable<number>} cells
 * @param {number} digit
 * @param {boolean} asClues
 * @returns {Grid}
 */
export function fill(grid, cells, digit, asClues) {
  const [clues, entries] = [[...grid.clues], [...grid.entries]];
  for (const cell of cells) {
    if (asClues) [clues[cell], entries[cell]] = [digit, 0];
    else if (!clues[cell]) entries[cell] = digit;
  }
  // If digits were only added, and the clues are unchanged, the reasons for removed candidates are still valid.
  const digits = digitsOf({ ...grid, clues, entries });
  const onlyGrew = isEqual(grid.clues, clues) && digitsOf(grid).every((digit, cell) => !digit || digit === digits[cell]);
  /** @type {Pairs} */
  const placed = asClues || !digit ? [] : [...cells].filter((cell) => !clues[cell]).map((cell) => [cell, digit]);
  return rubOut({ ...grid, clues, entries, removed: onlyGrew ? grid.removed : [] }, placed);
}

/**
 * Removes the answers, removed candidates and pencilmarks.
 * @param {Grid} grid
 * @returns {Grid}
 */
export const clearAnswers = (grid) => ({ ...grid, entries: grid.entries.map(() => 0), removed: [], corner: [], centre: [] });

/** The colours of cells, counted from 1. */
export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"];

/** @typedef {"corner" | "centre" | "colours"} MarkKind */

/** The digits or colours of this kind, by cell. @param {Grid} grid @param {MarkKind} kind */
export function marksByCell(grid, kind) {
  /** @type {number[][]} */
  const found = grid.clues.map(() => []);
  grid[kind].forEach(([cell, value]) => found[cell].push(value));
  return found;
}

/**
 * Adds a mark to all of these cells, or removes it if all have it. A cell has at most one colour, and only open cells have
 * pencilmarks.
 * @param {Grid} grid
 * @param {Iterable<number>} cells
 * @param {MarkKind} kind
 * @param {number} value
 * @returns {Grid}
 */
export function toggleMarks(grid, cells, kind, value) {
  const digits = digitsOf(grid);
  const chosen = [...cells].filter((cell) => kind === "colours" || !digits[cell]);
  const has = (/** @type {number} */ cell) => grid[kind].some((pair) => pair[0] === cell && pair[1] === value);
  const isOff = chosen.every(has);
  const isKept = (/** @type {[number, number]} */ [cell, other]) => !chosen.includes(cell) || (kind !== "colours" && other !== value);
  /** @type {Pairs} */
  const added = isOff ? [] : chosen.map((cell) => [cell, value]);
  return { ...grid, [kind]: inOrder([...grid[kind].filter(isKept), ...added]) };
}

/**
 * Clears the answers of these cells; if they have none, their pencilmarks; and if they have none of these either, their colours.
 * @param {Grid} grid
 * @param {Iterable<number>} cells
 * @returns {Grid}
 */
export function eraseOwn(grid, cells) {
  const chosen = new Set(cells);
  if ([...chosen].some((cell) => grid.entries[cell])) return fill(grid, chosen, 0, false);
  const rest = (/** @type {Pairs} */ pairs) => pairs.filter(([cell]) => !chosen.has(cell));
  const [corner, centre] = [rest(grid.corner), rest(grid.centre)];
  const hasMarks = corner.length < grid.corner.length || centre.length < grid.centre.length;
  return hasMarks ? { ...grid, corner, centre } : { ...grid, colours: rest(grid.colours) };
}

/**
 * Removes the pencilmarks that new answers and removed candidates rule out.
 * @param {Grid} grid
 * @param {Pairs} placed
 * @param {Pairs} [removed]
 * @returns {Grid}
 */
function rubOut(grid, placed, removed = []) {
  const { peers } = geometry(grid.shape);
  const gone = new Set([...removed, ...placed.flatMap(([cell, digit]) => peers[cell].map((peer) => [peer, digit]))].map(String));
  const rest = (/** @type {Pairs} */ pairs) => pairs.filter((pair) => !gone.has(String(pair)));
  return { ...grid, corner: rest(grid.corner), centre: rest(grid.centre) };
}

/** @param {Pairs} pairs */
const inOrder = (pairs) => pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);

/**
 * Fills all open cells with answers.
 * @param {Grid} grid
 * @param {ArrayLike<number>} solution
 * @returns {Grid}
 */
export const withAnswers = (grid, solution) => ({ ...grid, entries: grid.clues.map((clue, cell) => (clue ? 0 : solution[cell])) });

/**
 * Applies steps: what they place and remove.
 * @param {Grid} grid
 * @param {{placed: [number, number] | null, removed: [number, number][]}[]} steps
 * @returns {Grid}
 */
export function withSteps(grid, steps) {
  const entries = [...grid.entries];
  const gone = new Map(grid.removed.map((pair) => [pair.join(), pair]));
  for (const { placed, removed } of steps) {
    if (placed) entries[placed[0]] = placed[1];
    removed.forEach((pair) => gone.set(pair.join(), pair));
  }
  const placed = steps.flatMap((step) => (step.placed ? [step.placed] : []));
  return rubOut({ ...grid, entries, removed: inOrder([...gone.values()]) }, placed, steps.flatMap((step) => step.removed));
}

/**
 * The digits that the rules and the removed candidates leave for each cell. Cells with a digit have none.
 * @param {Grid} grid
 * @returns {Set<number>[]}
 */
export function candidatesOf(grid) {
  const { side, peers } = geometry(grid.shape);
  const digits = digitsOf(grid);
  const left = digits.map((digit, cell) => {
    const open = new Set(digit ? [] : range(side));
    if (!digit) peers[cell].forEach((peer) => open.delete(digits[peer]));
    return open;
  });
  grid.removed.forEach(([cell, digit]) => left[cell].delete(digit));
  return left;
}

/**
 * A cell in words, e.g. "row 4, column 5".
 * @param {Geometry} geometry
 * @param {number} cell
 */
export const cellName = ({ side }, cell) => `row ${Math.floor(cell / side) + 1}, column ${(cell % side) + 1}`;

/** The short name of a cell, e.g. r4c5. @param {number} side @param {number} cell */
export const placeName = (side, cell) => `r${Math.floor(cell / side) + 1}c${(cell % side) + 1}`;

/** @typedef {"rotate90" | "rotate180" | "rotate270" | "mirror" | "flip" | "diagonal" | "antidiagonal"} Move */

/**
 * Computes the new place of a cell from its row and column; `last` is the index of the last row.
 * @type {Record<Move, (row: number, column: number, last: number) => number[]>}
 */
const MOVES = {
  rotate90: (row, column, last) => [column, last - row],
  rotate180: (row, column, last) => [last - row, last - column],
  rotate270: (row, column, last) => [last - column, row],
  mirror: (row, column, last) => [row, last - column],
  flip: (row, column, last) => [last - row, column],
  diagonal: (row, column) => [column, row],
  antidiagonal: (row, column, last) => [last - column, last - row],
};

/** The symmetries of clues, with the names that the program's options use. @type {Move[]} */
const SYMMETRIES = ["rotate180", "rotate90", "mirror", "diagonal"];

/**
 * The new place of a cell.
 * @param {Move} move
 * @param {number} cell
 * @param {number} side
 */
function imageOf(move, cell, side) {
  const [row, column] = MOVES[move](Math.floor(cell / side), cell % side, side - 1);
  return row * side + column;
}

/**
 * The symmetries of the pattern of clues.
 * @param {Grid} grid
 */
export function symmetriesOf(grid) {
  const { side } = geometry(grid.shape);
  return SYMMETRIES.filter((name) => grid.clues.every((clue, cell) => !clue === !grid.clues[imageOf(name, cell, side)]));
}

/**
 * A cell and its partners by a symmetry. Without a symmetry, it is the cell alone.
 * @param {string} symmetry
 * @param {number} cell
 * @param {number} side
 */
export function orbitOf(symmetry, cell, side) {
  const name = SYMMETRIES.find((name) => name === symmetry);
  const orbit = [cell];
  for (let next = cell; name && (next = imageOf(name, next, side)) !== cell; ) orbit.push(next);
  return orbit;
}

/**
 * The open cells with a partner that has a clue. The symmetry asks for clues there.
 * @param {Grid} grid
 * @param {string} symmetry
 */
export function wantedCells(grid, symmetry) {
  const { side } = geometry(grid.shape);
  const isWanted = (/** @type {number} */ cell) => !grid.clues[cell] && orbitOf(symmetry, cell, side).some((partner) => grid.clues[partner]);
  return new Set([...grid.clues.keys()].filter(isWanted));
}

/**
 * Moves the cells and renames the digits, including all marks.
 * @param {Grid} grid
 * @param {number[]} cells the new place of each cell
 * @param {number[]} digits the new name of each digit; the first entry is 0, for none
 * @param {string} [shape] the shape of the new grid
 * @returns {Grid}
 */
export function remap(grid, cells, digits, shape = grid.shape) {
  const move = (/** @type {number[]} */ values) => values.reduce((moved, digit, cell) => ((moved[cells[cell]] = digits[digit]), moved), Array(values.length));
  const pairs = (/** @type {Pairs} */ from, /** @type {(value: number) => number} */ rename) =>
    inOrder(from.map(([cell, value]) => [cells[cell], rename(value)]));
  const [removed, corner, centre] = [grid.removed, grid.corner, grid.centre].map((from) => pairs(from, (digit) => digits[digit]));
  return { shape, clues: move(grid.clues), entries: move(grid.entries), removed, corner, centre, colours: pairs(grid.colours, (colour) => colour) };
}

/**
 * Rotates or mirrors the grid. If rows become columns, boxes change their shape too, e.g. from 2x3 to 3x2.
 * @param {Grid} grid
 * @param {Move} name
 */
export function moved(grid, name) {
  const { side, rows, columns } = geometry(grid.shape);
  const isAcross = imageOf(name, 1, side) % side === imageOf(name, 0, side) % side;
  const cells = grid.clues.map((_, cell) => imageOf(name, cell, side));
  return remap(grid, cells, [...Array(side + 1).keys()], isAcross ? `${columns}x${rows}` : grid.shape);
}

/**
 * Renames the digits.
 * @param {Grid} grid
 * @param {number[]} digits the new name of each digit; the first entry is 0
 */
export const renamed = (grid, digits) => remap(grid, [...grid.clues.keys()], digits);

/** The digits of a grid with this side. @param {number} side */
export const range = (side) => Array.from({ length: side }, (_, place) => place + 1);

/** @typedef {{cells: number[], words: string, isWrong?: boolean}} Contradiction: `isWrong` is an answer unlike the solution */

const TIMES = ["", "", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/**
 * The digits that occur more than once in a house.
 * @param {Grid} grid
 * @param {(digit: number) => string} write
 * @returns {Contradiction[]}
 */
export function repeats(grid, write) {
  const digits = digitsOf(grid);
  return geometry(grid.shape).houses.flatMap(({ name, cells }) => {
    const repeated = new Set(cells.map((cell) => digits[cell]).filter((digit, place, all) => digit && all.indexOf(digit) < place));
    return [...repeated].map((digit) => {
      const where = cells.filter((cell) => digits[cell] === digit);
      return { cells: where, words: `${name} has ${TIMES[where.length] ?? where.length} ${write(digit)}s` };
    });
  });
}

/**
 * The cells that have no digit left, and the digits that have no place left in a house.
 * @param {Grid} grid
 * @param {(digit: number) => string} write
 * @returns {Contradiction[]}
 */
export function gaps(grid, write) {
  const shape = geometry(grid.shape);
  const digits = digitsOf(grid);
  const left = candidatesOf({ ...grid, removed: [] });
  const empty = [...left.keys()].filter((cell) => !digits[cell] && !left[cell].size);
  const inCells = empty.map((cell) => ({ cells: [cell], words: `${cellName(shape, cell)} has no digit left` }));
  const inHouses = shape.houses.flatMap(({ name, cells }) => {
    const lost = range(shape.side).filter((digit) => !cells.some((cell) => digits[cell] === digit || left[cell].has(digit)));
    return lost.map((digit) => ({ cells: cells.filter((cell) => !digits[cell]), words: `${name} has no place left for ${write(digit)}` }));
  });
  return [...inCells, ...inHouses];
}

/**
 * The answers that differ from the solution of the clues.
 * @param {Grid} grid
 * @param {number[]} solution
 * @param {(digit: number) => string} write
 * @returns {Contradiction[]}
 */
export function wrongAnswers(grid, solution, write) {
  const shape = geometry(grid.shape);
  const cells = [...grid.entries.keys()].filter((cell) => grid.entries[cell] && grid.entries[cell] !== solution[cell]);
  return cells.map((cell) => ({ cells: [cell], isWrong: true, words: `${cellName(shape, cell)}: ${write(grid.entries[cell])} is not in the solution of the clues` }));
}
