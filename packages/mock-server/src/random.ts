/** Pseudo-random choices. */
export interface Random {
  /** Returns a whole number from 0 to `end - 1`. */
  below(end: number): number;
  /** Returns true with the probability 1 / `times`. */
  oneIn(times: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  shuffled<T>(items: readonly T[]): T[];
}

/** Creates a generator from seeds of any JSON; the same seeds give the same choices. */
export function randomOf(...parts: readonly unknown[]): Random {
  let state = hashOf(JSON.stringify(parts));

  /** Mulberry32, whose 32 bits of state are enough for tests. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    shuffled(items) {
      const remaining = [...items];
      return items.flatMap(() => remaining.splice(below(remaining.length), 1));
    },
  };
}

/** Returns the FNV-1a hash of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
