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
