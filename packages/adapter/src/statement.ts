import type { Parameters, Tags } from "@quern/query-run/record";
import type { UploadFormat } from "@quern/query-run/upload";
import type { HeldData, Source } from "./source.ts";

/** SQL of a caller, on the data of a source. */
export interface Query<Data extends HeldData = HeldData> {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly source: Source;
  /** Snapshot of the data of the source. It stays until the call ends; for `begin`, until the result was written. */
  readonly data: Data;
  readonly tenantId: string;
  readonly userId: string;
}

/** Query that a run executes. */
export interface Statement<Data extends HeldData = HeldData> extends Query<Data> {
  readonly runId: string;
  /** Tags of the run, for the log of the engine. @default none */
  readonly tags?: Tags;
  /** Number of the attempt to execute the run, from 1. */
  readonly attempt: number;
  /** `traceparent` of the call that created the run (W3C Trace Context). */
  readonly traceparent: string | undefined;
  readonly limits: StatementLimits;
  /**
   * Files of the caller that the statement reads as tables. Only a kind with {@link SourceKind.readsUploads} gets them.
   * @default none
   */
  readonly uploads?: readonly UploadedTable[] | undefined;
}

/** File of a caller that a statement reads as a table. */
export interface UploadedTable {
  readonly name: string;
  readonly format: UploadFormat;
  /** Path of the file, which is private to the user of the service. */
  readonly path: string;
}

export interface StatementLimits extends ResultCaps {
  readonly timeoutSeconds: number;
}

/** Largest result that is stored; a larger one throws a `StatementError` with the name `ResultTooLarge`. */
export interface ResultCaps {
  /** Bytes of the stored file. */
  readonly maxResultBytes: number;
  /** `Infinity` for no limit. */
  readonly maxResultRows: number;
  /** Bytes of the values of a result that may be delivered without a file. @default 0, each result has a file */
  readonly maxSmallResultBytes?: number;
}
