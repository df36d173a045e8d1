// @ts-check
// Turns limit how many visible pages may run long counts. Browsers open only six connections to a server, which all its pages
// share, and each count holds one.

/** The number of pages that may count at once. Two connections stay free for everything else, e.g. for loading another page. */
const TURNS = 4;

/** @param {number} turn */
const nameOf = (turn) => `gridmill-count-${turn}`;

/**
 * Takes a turn until the signal is aborted. If there is no free one, it takes a turn away from another page, because a count may
 * never end.
 * @param {AbortSignal} signal
 * @param {() => void} lose is called if another page takes it away
 */
export async function takeTurn(signal, lose) {
  const { locks } = navigator;
  const isOver = new Promise((end) => signal.addEventListener("abort", end));
  const ask = (/** @type {number} */ turn, /** @type {LockOptions} */ how) =>
    new Promise((tell) => {
      const hold = (/** @type {Lock | null} */ lock) => {
        tell(lock !== null);
        return lock && isOver;
      };
      locks.request(nameOf(turn), how, hold).catch(() => signal.aborted || lose());
    });
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (signal.aborted || (await ask(turn, { ifAvailable: true }))) return;
  }
  if (!signal.aborted) await ask(Math.floor(Math.random() * TURNS), { steal: true });
}
