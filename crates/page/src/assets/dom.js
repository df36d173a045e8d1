// @ts-check
// Helpers to find, make and change elements of the document, and to read and write numbers and times.

/**
 * Finds an element by its id. Throws if it does not exist, because the page always has all of its elements.
 * @template {Element} T
 * @param {string} id
 * @param {{new (): T}} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

/** @param {string} id */
export const elementById = (id) => byId(id, HTMLElement);
/** @param {string} id */
export const button = (id) => byId(id, HTMLButtonElement);
/** @param {string} id */
export const select = (id) => byId(id, HTMLSelectElement);
/** @param {string} id */
export const input = (id) => byId(id, HTMLInputElement);
/** @param {string} id */
export const area = (id) => byId(id, HTMLTextAreaElement);
/** @param {string} id */
export const dialog = (id) => byId(id, HTMLDialogElement);

/**
 * Sets attributes that differ, and returns the element. A value of false or null removes the attribute; true makes it empty.
 * @template {Element} T
 * @param {T} element
 * @param {Record<string, string | number | boolean | null>} attributes
 */
export function setAttributes(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    const text = value === true ? "" : String(value);
    if (value === null || value === false) element.removeAttribute(key);
    else if (element.getAttribute(key) !== text) element.setAttribute(key, text);
  }
  return element;
}

/**
 * Calls functions at clicks on the buttons with these ids.
 * @param {Record<string, () => unknown>} actions
 */
export function onClicks(actions) {
  for (const [id, act] of Object.entries(actions)) button(id).addEventListener("click", act);
}

/**
 * Makes an element. Attributes that are false, null or undefined are left out; true makes an empty attribute. If a name begins with
 * `on`, the value is a listener, e.g. `onclick`. Children that are strings become text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== false) made.append(child);
  return made;
}

/**
 * Sets a text only if it differs, so that the browser does not redraw it, and screen readers do not repeat it.
 * @param {Element} place
 * @param {string} text
 */
export function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/**
 * Replaces what is in an element, but keeps what is there as far as possible, so that the focus stays. Listeners of new elements are
 * not taken over.
 * @param {Node} place
 * @param {...Node} fresh
 */
export function redraw(place, ...fresh) {
  const old = [...place.childNodes];
  fresh.forEach((part, index) => {
    const there = old[index];
    if (!there) return place.appendChild(part);
    if (there.nodeName !== part.nodeName) return there.replaceWith(part);
    if (there instanceof Element && part instanceof Element) {
      const names = [...there.getAttributeNames(), ...part.getAttributeNames()];
      setAttributes(there, Object.fromEntries(names.map((name) => [name, part.getAttribute(name)])));
    } else if (there.nodeValue !== part.nodeValue) there.nodeValue = part.nodeValue;
    redraw(there, ...part.childNodes);
  });
  for (const part of old.slice(fresh.length)) part.remove();
}

/** A picture as an element. @param {string} svg */
export const picture = (svg) => document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);

/** Writes a number, e.g. 1,024. */
export const number = new Intl.NumberFormat("en").format;

/**
 * A number of things in words, e.g. "1 record" or "2 records".
 * @param {number} count
 * @param {string} thing
 */
export const counted = (count, thing) => `${number(count)} ${thing}${count === 1 ? "" : "s"}`;

/** @type {[string, number][]} */
const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/**
 * A duration with this many significant figures, e.g. "820 ns" or "1.2 ms".
 * @param {number} nanos
 * @param {number} [figures]
 */
export function duration(nanos, figures = 3) {
  const [unit, size] = UNITS.find(([, size]) => nanos >= size) ?? UNITS[3];
  return `${Number((nanos / size).toPrecision(figures))} ${unit}`;
}

/**
 * Reads a duration in nanoseconds, e.g. from "1.5 ms", "300us" or "2s". Null if the text is not a duration.
 * @param {string} text
 */
export function parseDuration(text) {
  const [, amount, unit] = /^([\d.]+)\s*(\S+)$/.exec(text.trim()) ?? [];
  // Unicode has two letters mu, and people often type u instead.
  const [, size] = UNITS.find(([name]) => name === unit?.replace(/^[uμ]s$/, "µs")) ?? [];
  const nanos = Math.round(Number(amount) * (size ?? NaN));
  return Number.isSafeInteger(nanos) ? nanos : null;
}
