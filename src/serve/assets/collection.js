// @ts-check
// The view of the collection.

/**
 * Fills an element with the view of the collection.
 * @param {HTMLElement} place
 * @param {{ openGrid: (grid: object, origin: {file: string, number: number, row: number}) => void }} page
 */
export function mountCollection(place, page) {
  place.textContent = "";
  void page;
}
