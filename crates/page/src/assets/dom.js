// @ts-check
// Short forms for elements.

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
