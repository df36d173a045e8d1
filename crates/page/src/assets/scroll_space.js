// @ts-check
// Where a table of any number of rows is scrolled to.
//
// Browsers limit the height of elements. Where the rows are higher together, the space that is scrolled is lower than they are: near its
// ends as many pixels as they are, between them scaled. There, far movements as of the scrollbar are scaled to the rows; near ones,
// as of a wheel, move the rows by as many pixels. After near ones the scrollbar stands a little off, until `resting` is scrolled to.

/** The greatest height of an element, in pixels, that all browsers can do. */
const HIGHEST = 15e6;
/** The height of each end in which nothing is scaled. */
const END = 1e6;

/**
 * Returns the place in one space for that in another one.
 * @param {number} place
 * @param {number} from the last place of the one space
 * @param {number} to the last place of the other
 */
function between(place, from, to) {
  if (from === to || place <= END) return place;
  if (from - place <= END) return to - (from - place);
  return END + ((place - END) / (from - 2 * END)) * (to - 2 * END);
}

export class ScrollSpace {
  rows = 0;
  rowHeight = 28;
  /** The height of what is seen at once. */
  viewHeight = 0;
  /** The first row that is seen; with a fraction where it is cut. */
  top = 0;
  /** Where the browser was scrolled to at last. */
  place = 0;

  get height() {
    return Math.min(this.rows * this.rowHeight, HIGHEST);
  }

  get rowsInView() {
    return this.viewHeight / this.rowHeight;
  }

  /** The last place of the rows, in pixels. */
  get #last() {
    return Math.max(0, this.rows * this.rowHeight - this.viewHeight);
  }

  /** The last place of the browser. */
  get #lastPlace() {
    return Math.max(0, this.height - this.viewHeight);
  }

  /** Where the browser has to be scrolled to for the rows that are seen. */
  get resting() {
    return between(this.top * this.rowHeight, this.#last, this.#lastPlace);
  }

  /**
   * Takes in where the reader scrolled to.
   * @param {number} place
   */
  scrolled(place) {
    const by = place - this.place;
    this.place = place;
    const isNear = Math.abs(by) < this.viewHeight && place > END && place < this.#lastPlace - END;
    if (isNear) this.move(this.top + by / this.rowHeight);
    else if (by !== 0) this.move(between(place, this.#lastPlace, this.#last) / this.rowHeight);
  }

  /**
   * Moves a row into view, by as little as can be.
   * @param {number} row
   */
  show(row) {
    this.move(Math.min(row, Math.max(this.top, row + 1 - this.rowsInView)));
  }

  /**
   * Makes a row the first that is seen, as far as there are rows below.
   * @param {number} top
   */
  move(top) {
    this.top = Math.max(0, Math.min(top, this.#last / this.rowHeight));
  }
}
