import type { Fault } from "./fault.ts";
import type { Rehearsal } from "./rehearsal.ts";

export interface Step {
  readonly name: string;
  /** Returns the faults, and lines to print. Throws if the step cannot be carried out. */
  run(rehearsal: Rehearsal): Promise<Outcome>;
}

interface Outcome {
  readonly faults?: readonly Fault[];
  readonly lines?: readonly string[];
}
