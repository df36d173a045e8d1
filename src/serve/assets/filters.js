// @ts-check
// The filter, as a form and as a row of chips.

import { element } from "./elements.js";
import { ENDLESS, NAME_FIELDS, NUMBER_FIELDS, STATUSES, SYMMETRIES, TITLES, withField } from "./view.js";
import { exactDuration, number, parseDuration } from "./words.js";

/** @typedef {import("./view.js").Filter} Filter */
/** @typedef {import("./view.js").NumberField} NumberField */
/** @typedef {import("./view.js").NameField} NameField */

/** @type {Record<NameField, string[]>} */
const NAMES = { status: STATUSES, symmetry: SYMMETRIES };

/**
 * Returns a number of a field as it is typed and shown.
 * @param {NumberField} field
 * @param {number} value
 */
function written(field, value) {
  return field === "time_ns" ? exactDuration(value) : field === "er" ? value.toFixed(1) : String(value);
}

/**
 * Reads what was typed. Null if it can't be read.
 * @param {NumberField} field
 * @param {string} text
 */
function parse(field, text) {
  if (field === "time_ns") return parseDuration(text);
  const value = Number(text.replaceAll(",", ""));
  return text.trim() !== "" && value >= 0 && value <= ENDLESS[field] && (field === "er" || Number.isInteger(value)) ? value : null;
}

/**
 * Returns a part of a filter in words.
 * @param {Filter} filter
 * @param {keyof Filter} field
 * @param {string[]} files
 */
function inWords(filter, field, files) {
  if (field === "file") return `File: ${files[filter.file ?? 0] ?? ""}`;
  const title = TITLES[field];
  if (field === "status" || field === "symmetry") return `${title}: ${filter[field]?.join(" or ")}`;
  const [least, most] = filter[field] ?? [0, 0];
  const text = (/** @type {number} */ value) => (field === "guesses" ? number(value) : written(field, value));
  if (least === most) return `${title}: ${text(least)}`;
  if (most === ENDLESS[field]) return `${title}: from ${text(least)}`;
  return `${title}: ${least === 0 ? "" : `${text(least)} `}to ${text(most)}`;
}

export class Filters {
  /** @type {Filter} */
  #filter = {};
  /** @type {string[]} */
  #files = [];

  /**
   * @param {(filter: Filter) => void} choose
   */
  constructor(choose) {
    this.choose = choose;
    this.chips = element("div", { id: "collection-chips", role: "group", "aria-label": "Filters" });
    this.file = element("select", { id: "collection-file", onchange: () => this.#chooseFile() });
    this.fileLabel = element("label", { class: "field", hidden: true }, element("span", {}, TITLES.file), this.file);
    const parts = [...NUMBER_FIELDS.map((field) => this.#bounds(field)), ...NAME_FIELDS.map((field) => this.#names(field)), this.fileLabel];
    this.form = element("form", { id: "collection-form", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, ...parts);
  }

  /** @param {NumberField} field */
  #bounds(field) {
    const hint = field === "time_ns" ? "such as 300 µs or 2 ms" : null;
    const input = (/** @type {string} */ end) =>
      element("input", {
        id: `collection-${field}-${end}`, type: "text", inputmode: field === "time_ns" ? "text" : "decimal", autocomplete: "off", size: 7,
        title: hint, "aria-label": `${TITLES[field]} ${end === "least" ? "from" : "to"}`, onchange: () => this.#chooseBounds(field),
      });
    return element("div", { class: "field", role: "group", "aria-label": TITLES[field] }, element("span", {}, TITLES[field]), input("least"), " to ", input("most"));
  }

  /** @param {NameField} field */
  #names(field) {
    const boxes = NAMES[field].map((name) => {
      const box = element("input", { type: "checkbox", id: `collection-${field}-${name}`, value: name, onchange: () => this.#chooseNames(field) });
      return element("label", {}, box, ` ${name}`);
    });
    return element("div", { class: "field names", role: "group", "aria-label": TITLES[field] }, element("span", {}, TITLES[field]), ...boxes);
  }

  /**
   * @param {string} id
   * @returns {HTMLInputElement}
   */
  #input(id) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(`collection-${id}`));
  }

  /** @param {NumberField} field */
  #chooseBounds(field) {
    const [least, most] = ["least", "most"].map((end) => this.#input(`${field}-${end}`));
    const values = [least, most].map((input) => {
      const value = input.value.trim() === "" ? undefined : parse(field, input.value);
      const say = field === "time_ns" ? "A time such as 300 µs, 2 ms or 1 s" : "A number";
      input.setCustomValidity(value === null ? say : "");
      return value;
    });
    if (!least.reportValidity() || !most.reportValidity()) return;
    const isEmpty = values.every((value) => value === undefined);
    const bounds = [values[0] ?? 0, values[1] ?? ENDLESS[field]];
    if (bounds[0] > bounds[1]) {
      most.setCustomValidity(`At least ${least.value}`);
      most.reportValidity();
      return;
    }
    this.choose(withField(this.#filter, field, isEmpty ? undefined : bounds));
  }

  /** @param {NameField} field */
  #chooseNames(field) {
    const known = NAMES[field].filter((name) => this.#input(`${field}-${name}`).checked);
    const others = (this.#filter[field] ?? []).filter((name) => !NAMES[field].includes(name));
    const names = [...known, ...others];
    this.choose(withField(this.#filter, field, names.length > 0 ? names : undefined));
  }

  #chooseFile() {
    this.choose(withField(this.#filter, "file", this.file.value === "" ? undefined : Number(this.file.value)));
  }

  /** @param {string[]} files */
  setFiles(files) {
    this.#files = files;
    const all = element("option", { value: "" }, "all files");
    this.file.replaceChildren(all, ...files.map((name, index) => element("option", { value: index }, name)));
    this.fileLabel.hidden = files.length < 2;
    this.setFilter(this.#filter);
  }

  /**
   * Shows a filter in the form and as chips.
   * @param {Filter} filter
   */
  setFilter(filter) {
    this.#filter = filter;
    for (const field of NUMBER_FIELDS) {
      const [least, most] = filter[field] ?? [0, ENDLESS[field]];
      this.#write(`${field}-least`, least === 0 && (!filter[field] || most > 0) ? "" : written(field, least));
      this.#write(`${field}-most`, most === ENDLESS[field] ? "" : written(field, most));
    }
    for (const field of NAME_FIELDS) {
      for (const name of NAMES[field]) this.#input(`${field}-${name}`).checked = filter[field]?.includes(name) ?? false;
    }
    this.file.value = filter.file === undefined ? "" : String(filter.file);
    this.#drawChips();
  }

  /**
   * @param {string} id
   * @param {string} text
   */
  #write(id, text) {
    const input = this.#input(id);
    input.value = text;
    input.setCustomValidity("");
  }

  #drawChips() {
    const filter = this.#filter;
    const hadFocus = this.chips.contains(document.activeElement);
    const fields = /** @type {(keyof Filter)[]} */ (Object.keys(filter));
    const chips = fields.map((field) => {
      const words = inWords(filter, field, this.#files);
      const take = () => this.choose(withField(this.#filter, field, undefined));
      const cross = element("span", { "aria-hidden": "true" }, "×");
      return element("button", { type: "button", class: "chip", "data-field": field, "aria-label": `Remove ${words}`, onclick: take }, words, cross);
    });
    const all = element("button", { type: "button", id: "collection-clear", onclick: () => this.choose({}) }, "Clear all");
    this.chips.hidden = chips.length === 0;
    this.chips.replaceChildren(...chips, ...(chips.length > 1 ? [all] : []));
    if (hadFocus) (chips[0] ?? document.getElementById("collection-table"))?.focus();
  }
}
