import type { ColumnKind } from "@quern/query-run/record";
import type { ResultWriter, WrittenResult } from "../result.ts";
import type { Source } from "../source.ts";
import type { SourceKind, SourceTable } from "../source-kind.ts";

/** Statement in the dialect of the engine, and its result as pages show it. */
export interface Sample {
  readonly sql: string;
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  /** Values as the JSON of a page has them: an integer beyond 2^53 is a text of digits, a time is ISO 8601. */
  readonly rows: readonly (readonly unknown[])[];
}

/** Adapter under test, and statements that its engine understands. */
export interface SourceKindContext {
  readonly kind: SourceKind;
  readonly source: Source;
  /** Stores what the kind delivers as rows or encoded bytes. */
  readonly writer: ResultWriter;
  /** Reads the rows of a stored result as a page shows them. */
  read(written: WrittenResult): Promise<readonly (readonly unknown[])[]>;
  readonly samples: {
    /** A column of each kind that the engine has. */
    readonly types: Sample;
    /** Nulls, also in columns without another value. */
    readonly nulls: Sample;
    /** Integers beyond 2^53, and decimals with more digits than a double holds. */
    readonly bigNumbers: Sample;
    /** Times with microseconds, and far from today. */
    readonly timestamps: Sample;
    /** Arrays and objects in one another. */
    readonly nested: Sample;
    /** Columns and no row. */
    readonly empty: Sample;
  };
  /** Statement that the engine refuses, by a fault of its author. */
  readonly invalid: string;
  /** Statement that fails after its first rows. */
  readonly lateFailure: string;
  /** Statement that does not end by itself. */
  readonly endless: string;
  /** Statement of so many rows, each of some tens of bytes that do not repeat. */
  manyRows(count: number): string;
  /** Tables of the source in any order; absent where the kind cannot list them. */
  readonly tables?: readonly SourceTable[];
  /** Unfinished statement, and a text that can stand from `start` to its end; absent where the kind cannot complete. */
  readonly completion?: { readonly sql: string; readonly start: number; readonly text: string };
}
