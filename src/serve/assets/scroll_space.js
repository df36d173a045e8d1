// @ts-check
// Where a table of any number of rows is scrolled to.
//
// Browsers limit the height of elements. Where the rows are higher together, the space that is scrolled is lower than they are: near its
// ends as many pixels as they are, between them scaled. There, far movements as of the scrollbar are scaled to the rows; near ones,
// as of a wheel, move the rows by as many pixels. After near ones the scrollbar stands a little off, until `restingPlace` is scrolled to.

/** The greatest height of an element, in pixels, that all browsers can do. */
const HIGHEST = 15e6;
/** The height of each end in which nothing is scaled. */
const END = 1e6;

export class ScrollSpace {
  rows = 0;
  rowHeight = 28;
  /** The height of what is seen at once. */
  viewHeight = 0;
  /** The first row that is seen; with a fraction where it is cut. */
  top = 0;
  /** Where the browser was scrolled to at last. */
  #place = 0;

  /** Returns the height of the space. */
  get height() {
    return Math.min(this.rows * this.rowHeight, HIGHEST);
  }

  /** Returns how many rows are seen at once. */
  get rowsInView() {
    return this.viewHeight / this.rowHeight;
  }

  /** Returns the last place of the rows and of the browser, in pixels. */
  get #last() {
    return [Math.max(0, this.rows * this.rowHeight - this.viewHeight), Math.max(0, this.height - this.viewHeight)];
  }

  /** Returns where the browser has to scroll to for the rows that are seen. */
  get restingPlace() {
    const [last, lastPlace] = this.#last;
    return between(this.top * this.rowHeight, last, lastPlace);
  }

  /**
   * Takes in where the browser was scrolled to by the reader.
   * @param {number} place
   */
  scrolled(place) {
    const by = place - this.#place;
    this.#place = place;
    if (by === 0) return;
    const [last, lastPlace] = this.#last;
    const isNear = Math.abs(by) < this.viewHeight && place > END && place < lastPlace - END;
    this.top = isNear ? this.top + by / this.rowHeight : between(place, lastPlace, last) / this.rowHeight;
    this.clamp();
  }

  /**
   * Takes in where the browser was scrolled to for the rows that are seen.
   * @param {number} place
   */
  rested(place) {
    this.#place = place;
  }

  /**
   * Moves a row into view, by as little as can be.
   * @param {number} row
   */
  show(row) {
    if (row < this.top) this.top = row;
    else if (row + 1 > this.top + this.rowsInView) this.top = row + 1 - this.rowsInView;
    this.clamp();
  }

  /** Keeps the rows that are seen among those that there are. */
  clamp() {
    this.top = Math.max(0, Math.min(this.top, this.#last[0] / this.rowHeight));
  }
}

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
