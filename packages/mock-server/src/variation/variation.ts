import { type Random, randomOf } from "../random.ts";
import type { RunScript } from "../runs/run-script.ts";

/** Seeded choices for everything that the contract leaves open. Answers stay valid; the same seed gives the same answers. */
export interface Variation {
  /**
   * Returns the random numbers for one request. They depend only on the seed, the request and how often it was made, so other requests do not change them.
   */
  randomFor(request: string): Random;
  /** Largest number of rows in a page. */
  readonly maxPageSize: number;
  id(prefix: string, number: number): string;
  /** Returns the script of the nth run: its number of polls. */
  script(number: number): RunScript;
}

export function createVariation(seed: number): Variation {
  const requestCounts = new Map<string, number>();
  return {
    randomFor(request) {
      const nth = requestCounts.get(request) ?? 0;
      requestCounts.set(request, nth + 1);
      return randomOf(seed, request, nth);
    },
    maxPageSize: randomOf(seed, "page").pick([Number.POSITIVE_INFINITY, 1_000, 100, 3]),
    id(prefix, number) {
      const random = randomOf(seed, prefix, number);
      const hex = (digits: number) => Array.from({ length: digits }, () => random.below(16).toString(16)).join("");
      return random.pick([
        () => `${prefix}_${hex(6)}`,
        () => `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
        () => `c${hex(24)}`,
        () => `${prefix}:${hex(4)}/ä?b=${number}&c#%2F`,
        () => String(10 ** 15 + random.below(10 ** 9)),
        () => `${prefix}.${hex(200)}`,
      ])();
    },
    script: (number) => ({ polls: 1 + randomOf(seed, "polls", number).below(4) }),
  };
}
