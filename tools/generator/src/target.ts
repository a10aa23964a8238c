import type { Model } from "./model.ts";
import type { OutputFile } from "./output-file.ts";
import type { ServiceLimit } from "./service-limits.ts";

/** One thing to generate. Targets know nothing of each other, of the disk or of the program that runs them. */
export interface Target {
  readonly name: string;
  /** The folder that belongs to the target alone: what it does not write there is removed. */
  readonly folder: string;
  readonly files: (model: Model, mockAdmin: Model, limits: readonly ServiceLimit[]) => readonly OutputFile[];
}
