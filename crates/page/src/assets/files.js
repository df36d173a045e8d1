// @ts-check
// The files of the collection: their list, and the buttons to open, reload and remove them.

import { ask, sendFile } from "./api.js";
import { box, button, byId, counted, element, input, mark, setText } from "./dom.js";
import { fail, note } from "./message.js";

/**
 * @typedef {{id: number, name: string, format: string | null, kind: string | null, bytes: number, records: number, note: string | null,
 *   error: string | null, can_reload: boolean}} FileState
 * @typedef {{columns: string[], files: FileState[], records: number, is_indexed: boolean, solved: number, rated: number, is_rating: boolean,
 *   revision: number, error: string | null}} CollectionState
 */
/** @typedef {{ news: () => Promise<void>, opened: (ids: number[]) => void }} Listeners */

export class Files {
  /** @param {Listeners} listeners */
  constructor(listeners) {
    this.listeners = listeners;
    const chooser = input("collection-choose");
    button("collection-open").addEventListener("click", () => chooser.click());
    chooser.addEventListener("change", () => {
      void this.#open([...(chooser.files ?? [])]);
      chooser.value = "";
    });
    addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      mark(document.body, { "data-dropping": true });
    });
    // The related element is null only if the pointer leaves the window.
    addEventListener("dragleave", (event) => event.relatedTarget === null && mark(document.body, { "data-dropping": null }));
    addEventListener("drop", (event) => {
      mark(document.body, { "data-dropping": null });
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void this.#open(files);
    });
  }

  /** @param {File[]} files */
  async #open(files) {
    const ids = [];
    for (const file of files) {
      note(`Opening ${file.name}`);
      try {
        ids.push((await sendFile(file)).id);
      } catch (error) {
        fail(error);
      }
    }
    note("");
    if (ids.length > 0) this.listeners.opened(ids);
  }

  /**
   * @param {string} question
   * @param {number} id
   */
  async #ask(question, id) {
    try {
      await ask(question, { id });
    } catch (error) {
      fail(error);
    }
    await this.listeners.news();
  }

  /** @param {CollectionState} state */
  draw({ files, records }) {
    const names = files.length === 1 ? files[0].name : counted(files.length, "file");
    setText(box("collection-summary"), files.length === 0 ? "No file" : `${names}: ${counted(records, "record")}`);
    const list = box("collection-list");
    const items = files.map((file) => list.querySelector(`[data-file="${file.id}"]`) ?? this.#item(file));
    if (items.length !== list.children.length || items.some((item, place) => item !== list.children[place])) list.replaceChildren(...items);
    files.forEach((file, place) => {
      const item = items[place];
      const about = [file.format, file.kind, counted(file.bytes, "byte"), file.error === null && counted(file.records, "record"), file.note];
      setText(item.children[1], `: ${about.filter(Boolean).join(", ")}`);
      mark(item.children[2], { hidden: !file.can_reload });
      const error = item.children[4];
      if (file.error !== null && error.textContent === "") byId("collection-files", HTMLDetailsElement).open = true;
      setText(error, file.error ?? "");
    });
  }

  /** @param {FileState} file */
  #item({ id, name }) {
    const act = (/** @type {string} */ question, /** @type {string} */ title) => {
      const attributes = { type: "button", "data-act": question, "aria-label": `${title} ${name}`, onclick: () => void this.#ask(question, id) };
      return element("button", attributes, title);
    };
    return element("li", { "data-file": id }, element("strong", {}, name), element("span"), act("reload", "Reload"), act("remove", "Remove"), element("p", { class: "error" }));
  }
}

/**
 * The row of the first record of a file.
 * @param {FileState[]} files
 * @param {number} place
 */
export const firstRow = (files, place) => files.slice(0, place).reduce((sum, { records }) => sum + records, 0);

/**
 * The new row of a record after earlier files have grown or been removed; null if its own file has been removed.
 * @param {number} row
 * @param {FileState[]} before
 * @param {FileState[]} after
 */
export function movedRow(row, before, after) {
  const old = before.findIndex(({ records }, place) => row < firstRow(before, place) + records);
  if (old < 0) return row;
  const place = after.findIndex(({ id }) => id === before[old].id);
  return place < 0 ? null : firstRow(after, place) + row - firstRow(before, old);
}
