import type { SchemaNode } from "@quern/protocol/validator";
import type { RecordedService } from "../recording/recorder.ts";
import type { Recording } from "../recording/recording.ts";
import type { Execute } from "../runs/execute.ts";
import type { StubDefinition } from "../stubs/definition.ts";
import type { ClockOptions } from "../time/clock.ts";

export interface NamespaceOptions {
  /** Clock of its own. @default one that stands still until it is advanced */
  readonly clock?: ClockOptions;
  /** Returns the rows of statements that no stub answers; an error that it throws fails the run. It takes precedence over `strict`. @default the rows of the document's example */
  readonly execute?: Execute;
  /** Seed of rows for statements that no stub answers: the columns they select, with all sorts of values. */
  readonly seed?: number;
  /** Fails statements that no stub answers, naming the nearest stub, and those whose stub has no answer. @default false */
  readonly strict?: boolean;
  /** Stubs that it begins with, also after a reset, such as those of a folder; see `stubsFrom`. */
  readonly stubs?: readonly StubDefinition[];
  /** Recording of a service; calls are answered by it and by nothing else. */
  readonly replay?: Recording;
  /** Service that its calls are forwarded to and recorded of, in place of answering them; for programs in other languages than JavaScript. */
  readonly record?: RecordedService;
  /** Bytes of JSON that the rows of one page may have. @default 30_000_000 */
  readonly maxPageBytes?: number;
  /** Seed by which everything that the contract leaves open is other than it was: ids, orders, members, states, sizes of pages. */
  readonly shake?: number;
}

/** Schemas of the options, for what plain JavaScript passes. */
export const namespaceMembers: Readonly<Record<keyof NamespaceOptions, SchemaNode>> = {
  clock: { type: "object" },
  execute: {},
  record: { type: "object" },
  seed: { type: "number" },
  strict: { type: "boolean" },
  stubs: { type: "array" },
  replay: { type: "object" },
  maxPageBytes: { type: "number" },
  shake: { type: "number" },
};
