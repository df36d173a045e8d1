// @ts-check
// Elements of the document: found, made, and changed; numbers and times as people read and type them.

/**
 * Returns the element with an id, which the page has.
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
export const box = (id) => byId(id, HTMLElement);
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
 * Sets or removes attributes, where they differ. Those that are false or null are removed; true ones are empty.
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null>} attributes
 */
export function mark(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    const text = value === true ? "" : String(value);
    if (value === null || value === false) element.removeAttribute(key);
    else if (element.getAttribute(key) !== text) element.setAttribute(key, text);
  }
}

/**
 * Calls functions at clicks on the buttons with these ids.
 * @param {Record<string, () => unknown>} actions
 */
export function onClicks(actions) {
  for (const [id, act] of Object.entries(actions)) button(id).addEventListener("click", act);
}

/**
 * Makes an element. Attributes that are false, null or undefined are left out; true ones are empty. Those whose name begins with `on`
 * are listeners. Children that are texts become text.
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
 * Sets a text only if it is another one, so that nothing is drawn or read out again.
 * @param {Element} place
 * @param {string} text
 */
export function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/** Writes a number: 1,024. */
export const number = new Intl.NumberFormat("en").format;

/**
 * Returns a number of things: 1 record, 2 records.
 * @param {number} count
 * @param {string} thing
 */
export const counted = (count, thing) => `${number(count)} ${thing}${count === 1 ? "" : "s"}`;

/** @type {[string, number][]} */
const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/**
 * Returns a duration with so many figures: 820 ns, 1.2 ms.
 * @param {number} nanos
 * @param {number} [figures]
 */
export function duration(nanos, figures = 3) {
  const [unit, size] = UNITS.find(([, size]) => nanos >= size) ?? UNITS[3];
  return `${Number((nanos / size).toPrecision(figures))} ${unit}`;
}

/**
 * Reads a duration in nanoseconds: "1.5 ms", "300us", "2s". Null if it is none.
 * @param {string} text
 */
export function parseDuration(text) {
  const [, amount, unit] = /^([\d.]+)\s*(\S+)$/.exec(text.trim()) ?? [];
  // Of both letters mu, and of u in their place.
  const [, size] = UNITS.find(([name]) => name === unit?.replace(/^[uμ]s$/, "µs")) ?? [];
  const nanos = Math.round(Number(amount) * (size ?? NaN));
  return Number.isSafeInteger(nanos) ? nanos : null;
}
