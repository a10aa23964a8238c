import { distance } from "fastest-levenshtein";

/** One thing that is wrong with a document. */
export interface Fault {
  /** JSON pointer into the document. */
  readonly pointer: string;
  /** Says what is wrong, and what to do. */
  readonly message: string;
}

/** The document cannot be generated from: lists every fault. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ pointer, message }) => `#${pointer}: ${message}`).join("\n"));
    this.faults = faults;
  }
}

/** Collects the faults of one document, so that one run lists them all. */
export interface Faults {
  report(pointer: string, message: string): void;
  /** Reports what OpenRPC's own schema refuses; later faults at or below the pointer only repeat it. */
  refuse(pointer: string, message: string): void;
  /** True where something at or below the pointer is already reported. */
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

/** `; did you mean "state"?` with the likeliest of the words, or a list of them where none is close. */
export function suggestion(word: string, words: Iterable<string>): string {
  const known = [...words];
  const likely = nearest(word, known);
  if (likely !== undefined) return `; did you mean "${likely}"?`;
  return known.length === 0 ? "; there are none" : `; use one of ${known.sort().join(", ")}`;
}

/** The word that a misspelt one most likely stands for. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  return words
    .map((candidate) => ({ candidate, edits: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.ceil(candidate.length / 3))
    .sort((one, other) => one.edits - other.edits)[0]?.candidate;
}
