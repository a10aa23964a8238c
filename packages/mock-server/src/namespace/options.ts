import type { SchemaNode } from "@quern/protocol/validator";
import type { RecordedService } from "../recording/recorder.ts";
import type { Recording } from "../recording/recording.ts";
import type { Execute } from "../runs/execute.ts";
import type { StubDefinition } from "../stubs/definition.ts";
import type { ClockOptions } from "../time/clock.ts";

export interface NamespaceOptions {
  /** Virtual clock. @default a clock that stands still until `clock.advance` */
  readonly clock?: ClockOptions;
  /**
   * Returns the rows of statements that no stub answers; an error that it throws fails the run. Takes precedence over
   * `strict` and `seed`.
   * @default random rows if `seed` is set, else the rows of the OpenRPC document's example
   */
  readonly execute?: Execute;
  /** Seed of random rows for statements that no stub answers: the columns they select, with values of all types. */
  readonly seed?: number;
  /**
   * Fails statements that no stub matches, with an error that names the nearest stub. Unless `seed` is set, also fails
   * statements whose stub has no answer.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * `warn`: logs statements that no stub matches by `console.warn`, with the nearest stub, and answers them as without
   * this option. Excludes `strict`. Has no effect with `execute`.
   * @default no warning
   */
  readonly onUnmatched?: "warn";
  /** Stubs that exist from the start and after each reset, such as those of a folder; see `stubsFrom`. @default [] */
  readonly stubs?: readonly StubDefinition[];
  /** Recording that answers all calls but `rpc.discover`; other calls that are not in it are refused. */
  readonly replay?: Recording;
  /** Service to forward calls to and record, for programs in other languages than JavaScript. */
  readonly record?: RecordedService;
  /** Largest size of a page's rows, in bytes of JSON. @default 30_000_000 */
  readonly maxPageBytes?: number;
  /**
   * Seed that varies everything that the contract leaves open, such as ids, orders, members, states, page sizes and the
   * number of polls of a run.
   * @default no variation
   */
  readonly variationSeed?: number;
}

/** Schemas of the options, which check what plain JavaScript passes. */
export const namespaceMembers: Readonly<Record<keyof NamespaceOptions, SchemaNode>> = {
  clock: { type: "object" },
  execute: {},
  record: { type: "object" },
  seed: { type: "number" },
  strict: { type: "boolean" },
  onUnmatched: { enum: ["warn"] },
  stubs: { type: "array" },
  replay: { type: "object" },
  maxPageBytes: { type: "number" },
  variationSeed: { type: "number" },
};
