// @ts-check
// Elements of the document: found, made, and changed.

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
 * Sets or takes away attributes, where they differ.
 * @param {Element} element
 * @param {Record<string, string | number | null>} attributes
 */
export function mark(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) element.removeAttribute(key);
    else if (element.getAttribute(key) !== String(value)) element.setAttribute(key, String(value));
  }
}

/**
 * Fills a select with values and their texts.
 * @param {HTMLSelectElement} list
 * @param {[string, string][]} options
 */
export function fillSelect(list, options) {
  list.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
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
