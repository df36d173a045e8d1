// @ts-check
// The Base64 compression of lz-string, which f-puzzles and SudokuPad use for puzzles in addresses. It is an LZW code of growing
// width. The codes 0 and 1 introduce a new character of 8 or 16 bits, and 2 ends the text.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const END = 2;
/** The code of the first phrase. */
const FIRST = 3;

/**
 * The limit for an unpacked text. Puzzles are far shorter, but a short text could unpack to one that fills the memory.
 */
const LONGEST = 1_000_000;

/** Counts the codes so far, and gives the number of bits of the next one. */
class Width {
  bits = 2;
  #room = 2;

  grow() {
    this.#room -= 1;
    if (this.#room === 0) this.#room = 2 ** this.bits++;
  }
}

/**
 * Compresses a text to Base64.
 * @param {string} text
 */
export function compress(text) {
  /** @type {number[]} */
  const bits = [];
  const push = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let place = 0; place < count; place += 1) bits.push((value >> place) & 1);
  };
  /** @type {Map<string, number>} */
  const codes = new Map();
  const fresh = new Set();
  const width = new Width();
  const learn = (/** @type {string} */ phrase) => codes.set(phrase, FIRST + codes.size);
  const write = (/** @type {string} */ phrase) => {
    if (fresh.delete(phrase)) {
      const code = phrase.charCodeAt(0);
      push(code > 255 ? 1 : 0, width.bits);
      push(code, code > 255 ? 16 : 8);
      width.grow();
    } else push(codes.get(phrase) ?? END, width.bits);
    width.grow();
  };
  let phrase = "";
  for (const character of text.split("")) {
    if (!codes.has(character)) fresh.add(character) && learn(character);
    if (!codes.has(phrase + character)) {
      write(phrase);
      learn(phrase + character);
      phrase = "";
    }
    phrase += character;
  }
  if (phrase) write(phrase);
  push(END, width.bits);
  push(0, 6 - (bits.length % 6));
  const values = Array.from({ length: bits.length / 6 }, (_, place) => bits.slice(6 * place, 6 * place + 6).reduce((value, bit) => 2 * value + bit, 0));
  const packed = values.map((value) => ALPHABET[value]).join("");
  return packed.padEnd(Math.ceil(packed.length / 4) * 4, "=");
}

/**
 * Decompresses Base64; null if it is not a compressed text.
 * @param {string} packed
 */
export function decompress(packed) {
  const values = [...packed.replace(/=+$/, "")].map((character) => ALPHABET.indexOf(character));
  if (values.includes(-1)) return null;
  let at = 0;
  const take = (/** @type {number} */ count) => {
    let value = 0;
    for (let place = 0; place < count; place += 1, at += 1) value += ((values[Math.floor(at / 6)] >> (5 - (at % 6))) & 1) << place;
    return value;
  };
  /** @type {string[]} */
  const phrases = [];
  const width = new Width();
  let text = "";
  let before = "";
  while (at + width.bits <= 6 * values.length && text.length <= LONGEST) {
    let code = take(width.bits);
    if (code === END) return text;
    if (code < END) {
      phrases.push(String.fromCharCode(take(code ? 16 : 8)));
      code = FIRST + phrases.length - 1;
      width.grow();
    }
    // The code may be that of the phrase which it completes itself.
    const own = code === FIRST + phrases.length && before ? before + before[0] : undefined;
    const phrase = phrases[code - FIRST] ?? own;
    if (phrase === undefined) return null;
    if (before) phrases.push(before + phrase[0]);
    text += phrase;
    before = phrase;
    width.grow();
  }
  return null;
}
