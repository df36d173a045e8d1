// @ts-check
// What stands above the table: files, progress, and what can be done with all records.

import { runToken } from "./api.js";
import { element, setText } from "./elements.js";
import { counted, number, size } from "./words.js";

/** @typedef {import("./watch.js").State} State */
/** @typedef {import("./view.js").View} View */

export class Head {
  /**
   * @param {(on: boolean) => void} rate
   * @param {(form: HTMLFormElement) => void} download is called before a download, and fills in the form
   */
  constructor(rate, download) {
    this.summary = element("summary", {});
    this.list = element("ul", {});
    this.files = element("details", { id: "collection-files" }, this.summary, this.list);
    this.bar = element("progress", { "aria-label": "Progress" });
    this.words = element("span", {});
    this.progress = element("span", { id: "collection-progress", hidden: true }, this.bar, this.words);
    this.rate = element("button", { type: "button", id: "collection-rate", onclick: () => rate(this.rate.dataset.rating !== "true") }, "Rate all");
    this.export = this.#makeExport(download);
    this.element = element("header", { class: "collection-head" }, this.files, this.progress, this.rate, this.export);
  }

  /** @param {(form: HTMLFormElement) => void} download */
  #makeExport(download) {
    const hidden = ["token", "filter", "sort"].map((name) => element("input", { type: "hidden", name }));
    hidden[0].value = runToken;
    const button = (/** @type {string} */ form, /** @type {string} */ words) => element("button", { name: "form", value: form, id: `collection-export-${form}` }, words);
    const form = element(
      "form",
      { id: "collection-export", method: "post", action: "/api/export", target: "_blank", onsubmit: () => download(form) },
      element("span", {}, "Download"), ...hidden, button("records", "Records as they are"), button("csv", "CSV"),
    );
    return form;
  }

  /** @param {State} state */
  draw(state) {
    this.#drawFiles(state);
    this.#drawProgress(state);
    this.rate.dataset.rating = String(state.is_rating);
    setText(this.rate, state.is_rating ? "Stop rating" : "Rate all");
  }

  /** @param {State} state */
  #drawFiles({ files, records, error }) {
    const names = files.length === 1 ? files[0].name : counted(files.length, "file");
    setText(this.summary, `${names}: ${counted(records, "record")}`);
    const shown = JSON.stringify([files, error]);
    if (this.list.dataset.shown === shown) return;
    this.list.dataset.shown = shown;
    const hasTrouble = error !== null || files.some((file) => file.error !== null);
    if (hasTrouble) this.files.open = true;
    const items = files.map((file) => {
      const about = [file.format, file.kind, size(file.bytes), counted(file.records, "record")].filter((part) => part !== null && part !== "");
      const note = file.note ? element("p", {}, file.note) : null;
      return element("li", {}, element("strong", {}, file.name), ` ${about.join(", ")}`, note, file.error ? element("p", { class: "error" }, file.error) : null);
    });
    this.list.replaceChildren(...items, ...(error !== null ? [element("li", { class: "error" }, error)] : []));
  }

  /** @param {State} state */
  #drawProgress(state) {
    const { is_indexed, solved, records, rated, is_rating } = state;
    const phase = !is_indexed ? "reading" : solved < records ? "searching" : is_rating ? "rating" : "idle";
    const words = {
      reading: `${number(records)} read so far`,
      searching: `${number(solved)} of ${number(records)} searched`,
      rating: `${number(rated)} rated`,
      idle: rated > 0 ? `${number(rated)} rated` : "",
    };
    this.progress.dataset.phase = phase;
    this.progress.hidden = words[phase] === "";
    this.bar.hidden = phase === "idle" || phase === "rating";
    if (phase === "reading") this.bar.removeAttribute("value");
    else this.bar.value = solved;
    this.bar.max = Math.max(1, records);
    setText(this.words, words[phase]);
  }
}
