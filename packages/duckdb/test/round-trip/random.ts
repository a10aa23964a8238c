/** Source of random choices. The same seed makes the same choices. */
export interface Random {
  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
  /** Returns an integer with this number of bits. */
  bits(count: number): bigint;
  /** Returns a number of decimal digits, without zeros at the start. */
  digits(count: number): string;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
  const below = (count: number): number => Math.floor((next() / 2 ** 32) * count);
  return {
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    bits: (count) => {
      let value = 0n;
      for (let bit = 0; bit < count; bit += 32) value = (value << 32n) | BigInt(next());
      return BigInt.asUintN(count, value);
    },
    digits: (count) => Array.from({ length: count }, (_, at) => below(at === 0 ? 9 : 10) + Number(at === 0)).join(""),
  };
}
