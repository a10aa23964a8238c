import { type Random, randomOf } from "../random.ts";
import type { RunScript } from "../runs/run-script.ts";

/** Everything that the contract leaves open, chosen by a seed: answers stay true, and are as no other server gives them. */
export interface Shake {
  /** Chances that follow from a request and how often it was made, so that one call more elsewhere changes nothing here. */
  chancesOf(request: string): Random;
  /** Rows that a page may have at most. */
  readonly maxPageSize: number;
  id(prefix: string, number: number): string;
  /** How long the run takes that was made as the nth. */
  script(number: number): RunScript;
}

export function createShake(seed: number): Shake {
  const times = new Map<string, number>();
  return {
    chancesOf(request) {
      const nth = times.get(request) ?? 0;
      times.set(request, nth + 1);
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
