// @ts-check
// The pictures of the collection. A click on a bar filters the records.

import { element, elementById, picture, redraw } from "./dom.js";
import { hasBar, withBar } from "./view.js";

/** @typedef {import("./view.js").Filter} Filter */
/** @typedef {{field: string, svg: string}} Picture */

/**
 * The bar that contains this element.
 * @param {EventTarget | Element | null} part
 */
const barOf = (part) => (part instanceof Element ? /** @type {SVGElement | null} */ (part.closest(".bar")) : null);

/**
 * @param {Element | null} within
 * @returns {SVGElement[]}
 */
const barsIn = (within) => /** @type {SVGElement[]} */ ([...(within?.querySelectorAll(".bar") ?? [])]);

/**
 * Makes a bar the one that the Tab key reaches in its picture.
 * @param {SVGElement} bar
 */
function lead(bar) {
  for (const other of barsIn(bar.parentElement)) other.setAttribute("tabindex", other === bar ? "0" : "-1");
}

export class Pictures {
  /** @type {Filter} */
  #filter = {};
  /** Whether a mouse button is down. A bar that is replaced meanwhile would not receive the click. */
  #isPressed = false;
  /** The pictures to draw after the button is released. @type {Picture[] | null} */
  #waiting = null;
  element = elementById("collection-pictures");

  /** @param {(filter: Filter) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.element.addEventListener("click", (event) => this.#choose(barOf(event.target), event.shiftKey));
    this.element.addEventListener("keydown", (event) => this.#press(event));
    this.element.addEventListener("pointerdown", () => (this.#isPressed = true));
    // The click event comes after `pointerup`, so the pictures are replaced a little later.
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => this.#release()));
  }

  /**
   * Marks the bars that the filter contains.
   * @param {Filter} filter
   */
  setFilter(filter) {
    this.#filter = filter;
    for (const bar of barsIn(this.element)) bar.ariaPressed = String(hasBar(filter, bar.dataset));
  }

  /**
   * Replaces the pictures. The focused bar keeps the focus.
   * @param {Picture[]} pictures
   */
  draw(pictures) {
    if (this.#isPressed) return void (this.#waiting = pictures);
    const keyOf = (/** @type {SVGElement} */ { dataset: { field, least, value } }) => `${field} ${least} ${value}`;
    const leading = barsIn(this.element).filter(({ tabIndex }) => tabIndex === 0).map(keyOf);
    const focused = barOf(document.activeElement)?.dataset.field;
    redraw(this.element, ...pictures.map(({ field, svg }) => element("div", { "data-picture": field }, picture(svg))));
    for (const place of this.element.children) {
      const bars = barsIn(place);
      const bar = bars.find((other) => leading.includes(keyOf(other))) ?? bars[0];
      if (bar) lead(bar);
      if (bar && bar.dataset.field === focused) bar.focus({ preventScroll: true });
    }
    this.setFilter(this.#filter);
  }

  #release() {
    this.#isPressed = false;
    if (this.#waiting) this.draw(this.#waiting);
    this.#waiting = null;
  }

  /**
   * @param {SVGElement | null} bar
   * @param {boolean} extend
   */
  #choose(bar, extend) {
    if (!bar) return;
    lead(bar);
    bar.focus({ preventScroll: true });
    this.choose(withBar(this.#filter, bar.dataset, extend));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const bar = barOf(event.target);
    if (!bar || event.ctrlKey || event.altKey || event.metaKey) return;
    const bars = barsIn(bar.parentElement);
    const at = bars.indexOf(bar);
    /** @type {Record<string, number>} */
    const goals = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: bars.length - 1 };
    const goal = bars[goals[event.key]];
    if (goal) {
      lead(goal);
      goal.focus();
    } else if (event.key === "Enter" || event.key === " ") this.#choose(bar, event.shiftKey);
    else return;
    event.preventDefault();
  }
}
