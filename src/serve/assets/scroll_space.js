// @ts-check
// Where a table of any number of rows is scrolled to.
//
// Browsers limit the height of elements. Where the rows are higher together, the space that is scrolled is lower than they are:
// far movements, as of the scrollbar, are scaled to the rows; near ones, as of a wheel, move the rows by as many pixels. After near ones the scrollbar
// stands a little off, until `restingPlace` is scrolled to.

/** The greatest height of an element, in pixels, that all browsers can do. */
const HIGHEST = 15e6;

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

  get isScaled() {
    return this.rows * this.rowHeight > HIGHEST;
  }

  /** Returns how many rows are seen at once. */
  get rowsInView() {
    return this.viewHeight / this.rowHeight;
  }

  get #lastTop() {
    return Math.max(0, this.rows - this.rowsInView);
  }

  get #lastPlace() {
    return Math.max(0, this.height - this.viewHeight);
  }

  /** Returns where the browser has to scroll to for the rows that are seen. */
  get restingPlace() {
    if (!this.isScaled) return this.top * this.rowHeight;
    return this.#lastTop > 0 ? (this.top / this.#lastTop) * this.#lastPlace : 0;
  }

  /**
   * Takes in where the browser was scrolled to by the reader.
   * @param {number} place
   */
  scrolled(place) {
    const by = place - this.#place;
    this.#place = place;
    if (by === 0) return;
    if (!this.isScaled) this.top = place / this.rowHeight;
    else if (Math.abs(by) < this.viewHeight) this.top += by / this.rowHeight;
    else this.top = (place / this.#lastPlace) * this.#lastTop;
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
    this.top = Math.max(0, Math.min(this.top, this.#lastTop));
  }
}
