// @ts-check
// The files of the collection: their list, and the buttons to open, reload and remove them.

import { ask, sendFile } from "./api.js";
import { button, byId, counted, element, elementById, input, redraw, setAttributes, setText } from "./dom.js";
import { note, showError } from "./message.js";

/**
 * @typedef {{id: number, name: string, format: string | null, kind: string | null, bytes: number, records: number, note: string | null,
 *   error: string | null, can_reload: boolean}} FileState
 * @typedef {{columns: string[], files: FileState[], records: number, is_indexed: boolean, solved: number, rated: number, is_rating: boolean,
 *   revision: number, error: string | null}} CollectionState
 */
/** @typedef {{ news: () => void, opened: (ids: number[]) => void }} Listeners */

export class Files {
  /** @param {Listeners} listeners */
  constructor(listeners) {
    this.listeners = listeners;
    this.list = elementById("collection-list");
    this.list.addEventListener("click", ({ target }) => {
      const { act, file } = target instanceof HTMLElement ? { ...target.parentElement?.dataset, ...target.dataset } : {};
      if (act) void this.#ask(act, Number(file));
    });
    const chooser = input("collection-choose");
    button("collection-open").addEventListener("click", () => chooser.click());
    chooser.addEventListener("change", () => {
      void this.#open([...(chooser.files ?? [])]);
      chooser.value = "";
    });
    addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setAttributes(document.body, { "data-dropping": true });
    });
    // The related element is null only if the pointer leaves the window.
    addEventListener("dragleave", (event) => event.relatedTarget === null && setAttributes(document.body, { "data-dropping": null }));
    addEventListener("drop", (event) => {
      setAttributes(document.body, { "data-dropping": null });
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
      const opened = await sendFile(file).catch(showError);
      if (opened) ids.push(opened.id);
    }
    note("");
    if (ids.length > 0) this.listeners.opened(ids);
  }

  /**
   * @param {string} question
   * @param {number} id
   */
  async #ask(question, id) {
    await ask(question, { id }).catch(showError);
    this.listeners.news();
  }

  /** @param {CollectionState} state */
  draw({ files, records }) {
    const names = files.length === 1 ? files[0].name : counted(files.length, "file");
    setText(elementById("collection-summary"), files.length === 0 ? "No file" : `${names}: ${counted(records, "record")}`);
    const said = this.list.textContent ?? "";
    if (files.some(({ error }) => error !== null && !said.includes(error))) byId("collection-files", HTMLDetailsElement).open = true;
    redraw(this.list, ...files.map(item));
  }
}

/** A file in the list. @param {FileState} file */
function item({ id, name, format, kind, bytes, records, note, error, can_reload }) {
  const about = [format, kind, counted(bytes, "byte"), error === null && counted(records, "record"), note];
  const act = (/** @type {string} */ question, /** @type {string} */ title, hidden = false) =>
    element("button", { type: "button", "data-act": question, "aria-label": `${title} ${name}`, hidden }, title);
  const words = `: ${about.filter(Boolean).join(", ")}`;
  const buttons = [act("reload", "Reload", !can_reload), act("remove", "Remove")];
  return element("li", { "data-file": id }, element("strong", {}, name), words, ...buttons, element("p", { class: "error" }, error));
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
