const primes: readonly number[] = Array.from({ length: 310 }, (_, at) => at + 2).filter((number) => {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return true;
});
const fractionOf = (root: number): number => (root % 1) * 2 ** 32;
const start = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));
const constants = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));

const utf8 = new TextEncoder();

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** Returns the text in blocks of 16 words, padded, with its length in bits at the end. */
function wordsOf(text: string): DataView {
  const bytes = utf8.encode(text);
  const blocks = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const words = new DataView(blocks.buffer);
  words.setBigUint64(words.byteLength - 8, 8n * BigInt(bytes.length));
  return words;
}

/**
 * Returns the SHA-256 of a text's UTF-8 bytes in lower-case hexadecimal. `crypto.subtle` is asynchronous, takes twice
 * as long for a statement, and does not exist in a web page without TLS.
 * @see https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 */
export function sha256(text: string): string {
  const words = wordsOf(text);
  const hash = start.slice();
  const schedule = new Int32Array(64);
  const word = (at: number): number => schedule[at] ?? 0;
  for (let block = 0; block < words.byteLength; block += 64) {
    for (let at = 0; at < 16; at += 1) schedule[at] = words.getInt32(block + 4 * at);
    for (let at = 16; at < 64; at += 1) {
      const [early, late] = [word(at - 15), word(at - 2)];
      const first = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
      const second = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
      schedule[at] = word(at - 16) + first + word(at - 7) + second;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
    for (let at = 0; at < 64; at += 1) {
      const mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const chosen = h + mixed + ((e & f) ^ (~e & g)) + (constants[at] ?? 0) + word(at);
      const common = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + chosen) | 0, c, b, a, (chosen + common) | 0];
    }
    for (const [at, part] of [a, b, c, d, e, f, g, h].entries()) hash[at] = (hash[at] ?? 0) + part;
  }
  const halves = Array.from(hash, (part) => [part >>> 16, part & 0xffff]).flat();
  return halves.map((half) => half.toString(16).padStart(4, "0")).join("");
}
