import { distance } from "fastest-levenshtein";

/** Fault of an OpenRPC document. */
export interface Fault {
  /** JSON pointer into the document. */
  readonly pointer: string;
  /** Description of the fault, and advice. */
  readonly message: string;
}

/** The document is invalid. Lists all faults. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ pointer, message }) => `#${pointer}: ${message}`).join("\n"));
    this.faults = faults;
  }
}

/** Collects the faults of one document, so that one run reports all of them. */
export interface Faults {
  report(pointer: string, message: string): void;
  /**
   * Reports a fault that OpenRPC's JSON Schema finds. Later faults at or below the pointer are dropped as repetitions.
   */
  refuse(pointer: string, message: string): void;
  /** Returns true if a fault at or below the pointer is already reported. */
  has(pointer: string): boolean;
  readonly all: readonly Fault[];
}

export function createFaults(): Faults {
  const faults = new Map<string, Fault>();
  const refused: string[] = [];
  return {
    report(pointer, message) {
      if (refused.some((above) => isWithin(pointer, above))) return;
      faults.set(`${pointer} ${message}`, { pointer, message });
    },
    refuse(pointer, message) {
      faults.set(`${pointer} ${message}`, { pointer, message });
      refused.push(pointer);
    },
    has: (pointer) => [...faults.values()].some((fault) => isWithin(fault.pointer, pointer)),
    get all() {
      return [...faults.values()];
    },
  };
}

function isWithin(pointer: string, above: string): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}

/** Returns `; did you mean "state"?` with the closest word, or the list of words if none is close. */
export function suggestion(word: string, words: Iterable<string>): string {
  // A document cannot use this name, see `readProperties`.
  const known = [...words].filter((one) => one !== "__proto__");
  const likely = nearest(word, known);
  if (likely !== undefined) return `; did you mean "${likely}"?`;
  return known.length === 0 ? "; there are none" : `; use one of ${known.sort().join(", ")}`;
}

/** Returns the word that a misspelt word probably stands for; undefined if none is close. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  return words
    .map((candidate) => ({ candidate, edits: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.ceil(candidate.length / 3))
    .sort((one, other) => one.edits - other.edits)[0]?.candidate;
}
