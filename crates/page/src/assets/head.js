// @ts-check
// What stands above the table: files, progress, and what can be done with all records.

import { runToken } from "./api.js";
import { element, setText } from "./dom.js";
import { counted, number } from "./words.js";

export class Head {
  /**
   * @param {(on: boolean) => void} rate
   * @param {() => View} view the view that is downloaded
   */
  constructor(rate, view) {
    this.summary = element("summary");
    this.list = element("ul");
    this.files = element("details", { id: "collection-files" }, this.summary, this.list);
    this.bar = element("progress", { "aria-label": "Progress" });
    this.words = element("span");
    this.progress = element("span", { id: "collection-progress" }, this.bar, this.words);
    this.rate = element("button", { type: "button", id: "collection-rate", onclick: () => rate(this.rate.dataset.rating !== "true") });
    this.element = element("div", { class: "collection-head" }, this.files, this.progress, this.rate, makeExport(view));
  }

  /** @param {CollectionState} state */
  draw(state) {
    this.#drawFiles(state);
    this.#drawProgress(state);
    this.rate.dataset.rating = String(state.is_rating);
    setText(this.rate, state.is_rating ? "Stop rating" : "Rate all");
  }

  /** @param {CollectionState} state */
  #drawFiles({ files, records }) {
    setText(this.summary, `${files.length === 1 ? files[0].name : counted(files.length, "file")}: ${counted(records, "record")}`);
    const shown = JSON.stringify(files);
    if (this.list.dataset.shown === shown) return;
    this.list.dataset.shown = shown;
    const items = files.map((file) => {
      const about = [file.format, file.kind, counted(file.bytes, "byte"), counted(file.records, "record")].filter(Boolean);
      const error = element("p", { class: "error" }, file.error ?? "");
      return element("li", {}, element("strong", {}, file.name), `: ${about.join(", ")}`, element("p", {}, file.note ?? ""), error);
    });
    this.list.replaceChildren(...items);
    if (files.some((file) => file.error !== null)) this.files.open = true;
  }

  /** @param {CollectionState} state */
  #drawProgress({ is_indexed, solved, records, rated, is_rating }) {
    const phase = !is_indexed ? "reading" : solved < records ? "searching" : is_rating ? "rating" : "idle";
    const [ratings, searched] = [`${number(rated)} rated`, `${number(solved)} of ${number(records)} searched`];
    const words = { reading: `${number(records)} read`, searching: searched, rating: ratings, idle: rated > 0 ? ratings : "" };
    this.progress.dataset.phase = phase;
    this.bar.hidden = phase === "rating" || phase === "idle";
    this.bar.max = records;
    if (phase === "reading") this.bar.removeAttribute("value");
    else this.bar.value = solved;
    setText(this.words, words[phase]);
  }
}

/**
 * Makes the form that asks for a download. A refusal comes in a window of its own.
 * @param {() => View} view
 */
function makeExport(view) {
  const [filter, sort, token] = ["filter", "sort", "token"].map((name) => element("input", { type: "hidden", name, value: runToken }));
  const fill = () => {
    filter.value = JSON.stringify(view().filter);
    sort.value = JSON.stringify(view().sort);
  };
  const button = (/** @type {string} */ form, /** @type {string} */ words) => element("button", { name: "form", value: form, id: `collection-export-${form}` }, words);
  const attributes = { id: "collection-export", method: "post", action: "/api/export", target: "_blank", onsubmit: fill };
  return element("form", attributes, "Download", filter, sort, token, button("records", "Records as they are"), button("csv", "CSV"));
}
