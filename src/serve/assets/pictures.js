// @ts-check
// Pictures of the collection. Their bars choose records.

import { ENDLESS, NUMBER_FIELDS, toggleBounds, toggleName, withField } from "./view.js";

/** @typedef {import("./view.js").Filter} Filter */
/** @typedef {import("./view.js").NumberField} NumberField */
/** @typedef {import("./view.js").NameField} NameField */

/**
 * Returns the filter after a click on a bar.
 * @param {Filter} filter
 * @param {DOMStringMap} bar
 * @param {boolean} extend
 * @returns {Filter}
 */
function chosen(filter, bar, extend) {
  const names = /** @type {NameField} */ (bar.field);
  if (bar.value !== undefined) return withField(filter, names, toggleName(filter[names], bar.value));
  const numbers = /** @type {NumberField} */ (bar.field);
  return withField(filter, numbers, toggleBounds(filter[numbers], [Number(bar.least), Number(bar.most)], extend));
}

/**
 * Returns whether a filter names what a bar stands for.
 * @param {Filter} filter
 * @param {DOMStringMap} bar
 */
function isChosen(filter, bar) {
  if (bar.value !== undefined) return filter[/** @type {NameField} */ (bar.field)]?.includes(bar.value) ?? false;
  const bounds = filter[/** @type {NumberField} */ (bar.field)];
  return bounds !== undefined && bounds[0] <= Number(bar.least) && Number(bar.most) <= bounds[1];
}

export class Pictures {
  /** @type {Filter} */
  #filter = {};
  /** What each picture was drawn from. @type {Map<string, string>} */
  #drawn = new Map();

  /**
   * @param {HTMLElement} place
   * @param {(filter: Filter) => void} choose
   */
  constructor(place, choose) {
    this.place = place;
    this.choose = choose;
    place.addEventListener("click", (event) => this.#click(event.target, event.shiftKey));
    place.addEventListener("keydown", (event) => this.#press(event));
    place.addEventListener("focusin", (event) => this.#focused(event.target));
  }

  /**
   * Says which bars are chosen.
   * @param {Filter} filter
   */
  setFilter(filter) {
    this.#filter = filter;
    for (const bar of this.#bars(this.place)) bar.setAttribute("aria-pressed", String(isChosen(filter, bar.dataset)));
  }

  /**
   * Draws pictures in place of those that were there. The bar that has the focus keeps it.
   * @param {{ field: string, title: string, svg: string }[]} pictures
   */
  draw(pictures) {
    for (const old of [...this.place.children]) {
      const field = /** @type {HTMLElement} */ (old).dataset.picture ?? "";
      if (pictures.some((picture) => picture.field === field)) continue;
      old.remove();
      this.#drawn.delete(field);
    }
    pictures.forEach((picture, index) => this.#drawOne(picture, index));
    this.setFilter(this.#filter);
  }

  /**
   * @param {{ field: string, svg: string }} picture
   * @param {number} index
   */
  #drawOne({ field, svg }, index) {
    if (this.#drawn.get(field) === svg) return;
    const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    if (root.nodeName !== "svg") return;
    this.#drawn.set(field, svg);
    let figure = /** @type {HTMLElement | null} */ (this.place.querySelector(`[data-picture="${field}"]`));
    if (!figure) {
      figure = document.createElement("div");
      figure.dataset.picture = field;
      this.place.insertBefore(figure, this.place.children[index] ?? null);
    }
    const focused = figure.contains(document.activeElement) ? /** @type {SVGElement} */ (document.activeElement).dataset : null;
    const stop = figure.querySelector('.bar[tabindex="0"]');
    const kept = focused ?? (stop instanceof SVGElement ? stop.dataset : null);
    figure.replaceChildren(document.importNode(root, true));
    const bars = this.#bars(figure);
    const isKept = (/** @type {SVGElement} */ bar) => bar.dataset.least === kept?.least && bar.dataset.value === kept?.value;
    const goal = bars.find(isKept) ?? bars[0];
    for (const bar of bars) bar.setAttribute("tabindex", bar === goal ? "0" : "-1");
    if (focused) goal?.focus({ preventScroll: true });
  }

  /**
   * @param {Element} within
   * @returns {SVGElement[]}
   */
  #bars(within) {
    return [...within.querySelectorAll(".bar")].filter((bar) => bar instanceof SVGElement);
  }

  /** @param {EventTarget | null} target */
  #barOf(target) {
    const bar = target instanceof Element ? target.closest(".bar") : null;
    return bar instanceof SVGElement ? bar : null;
  }

  /**
   * @param {EventTarget | null} target
   * @param {boolean} extend
   */
  #click(target, extend) {
    const bar = this.#barOf(target);
    if (!bar) return;
    bar.focus({ preventScroll: true });
    this.choose(chosen(this.#filter, bar.dataset, extend));
  }

  /** Makes the bar that has the focus the one of its picture that the tabulator leads to. @param {EventTarget | null} target */
  #focused(target) {
    const bar = this.#barOf(target);
    if (bar?.parentElement) for (const other of this.#bars(bar.parentElement)) other.setAttribute("tabindex", other === bar ? "0" : "-1");
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const bar = this.#barOf(event.target);
    const parent = bar?.parentElement;
    if (!bar || !parent || event.ctrlKey || event.altKey || event.metaKey) return;
    const bars = this.#bars(parent);
    const at = bars.indexOf(bar);
    const goals = /** @type {Record<string, number>} */ ({
      ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: bars.length - 1,
    });
    if (event.key in goals) bars[goals[event.key]]?.focus();
    else if (event.key === "Enter" || event.key === " ") this.#click(bar, event.shiftKey);
    else return;
    event.preventDefault();
  }
}
