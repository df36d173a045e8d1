// @ts-check
// Elements made in one go.

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
