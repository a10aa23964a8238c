import type { ColumnKind } from "@quern/query-run/record";
import type { ResultWriter, WrittenResult } from "../../result.ts";
import type { Source } from "../../source.ts";
import type { SourceKind, SourceTable } from "../../source-kind.ts";

/** Statement in the dialect of the engine, with its expected result. */
export interface Sample {
  readonly sql: string;
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  /**
   * Values as in the JSON of a result page: an integer beyond ±(2^53 - 1) is a string of digits, a time is an ISO 8601
   * string.
   */
  readonly rows: readonly (readonly unknown[])[];
}

/** Adapter under test, and statements that its engine understands. */
export interface SourceKindContext {
  readonly kind: SourceKind;
  readonly source: Source;
  /** Writes results that the kind delivers as rows or encoded bytes. */
  readonly writer: ResultWriter;
  /** Reads the rows of a stored result as a result page shows them. */
  read(written: WrittenResult): Promise<readonly (readonly unknown[])[]>;
  readonly samples: {
    /** One column of each column kind that the engine has. */
    readonly types: Sample;
    /** NULLs, also in columns without other values. */
    readonly nulls: Sample;
    /** Integers beyond ±(2^53 - 1), and decimals with more digits than a double has. */
    readonly bigNumbers: Sample;
    /** Times with microseconds, and times centuries ago or ahead. */
    readonly timestamps: Sample;
    /** Nested arrays and objects. */
    readonly nested: Sample;
    /** Columns without rows. */
    readonly empty: Sample;
  };
  /** Statement that the engine rejects because of a user error. */
  readonly invalid: string;
  /** Statement that fails after its first rows. */
  readonly lateFailure: string;
  /** Statement that runs until it is canceled. */
  readonly endless: string;
  /** Returns a statement with `count` rows, each of some tens of bytes that do not repeat. */
  manyRows(count: number): string;
  /** Tables of the source in any order. Absent if the kind cannot list them. */
  readonly tables?: readonly SourceTable[];
  /**
   * Unfinished statement, and a text that can replace it from `start` to its end. Absent if the kind cannot complete
   * statements.
   */
  readonly completion?: { readonly sql: string; readonly start: number; readonly text: string };
  /** Ends the engine without notice, and starts it again. Absent if the adapter itself starts the engine. */
  readonly restart?: { stop(): Promise<void>; start(): Promise<void> };
}
