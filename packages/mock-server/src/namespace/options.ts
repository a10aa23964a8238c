import type { SchemaNode } from "@quern/protocol/validator";
import type { RecordedService } from "../recording/recorder.ts";
import type { Recording } from "../recording/recording.ts";
import type { Execute } from "../runs/execute.ts";
import type { StubDefinition } from "../stubs/definition.ts";
import type { ClockOptions } from "../time/clock.ts";

export interface NamespaceOptions {
  /** How its own clock goes; it stands still until it is advanced, if left out. */
  readonly clock?: ClockOptions;
  /** Gives the rows of statements that no stub answers; what it throws fails the run. Without it they have the rows of the document's example. */
  readonly execute?: Execute;
  /** A seed of rows for statements that no stub answers: the columns they select, with all sorts of values. */
  readonly seed?: number;
  /** Whether statements that no stub answers fail, and say which stub is the nearest. */
  readonly strict?: boolean;
  /** Stubs that it begins with, also after a reset, such as those of a folder; see `stubsFrom`. */
  readonly stubs?: readonly StubDefinition[];
  /** What was recorded of a service; calls are answered by it and by nothing else. */
  readonly replay?: Recording;
  /** Service that its calls are forwarded to and recorded of, in place of answering them; for programs in other languages than JavaScript. */
  readonly record?: RecordedService;
  /** Bytes of JSON that the rows of one page may have; 30,000,000 if left out. */
  readonly maxPageBytes?: number;
  /** A seed by which everything that the contract leaves open is other than it was: ids, orders, members, states, sizes of pages. */
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
