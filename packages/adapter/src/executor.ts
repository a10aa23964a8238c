import type { Parameters, ResultColumn } from "@quern/query-run/record";
import type { Database, Source } from "./source.ts";

export interface Statement {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly source: Source;
  /** The data of the source, held until the call has ended. */
  readonly databases: readonly Database[];
}

/** A result that an executor has written and nobody has committed yet. */
export interface WrittenResult {
  /** The Parquet file; its columns are named `c0`, `c1`, … by position. */
  readonly path: string;
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  /** Ends whatever keeps the file in being; called after it was committed or given up. */
  release(): Promise<void>;
}

export interface ParameterDescription {
  readonly name: string;
  readonly type: string | null;
}

export interface Description {
  readonly columns: readonly ResultColumn[];
  readonly parameters: readonly ParameterDescription[];
}

/**
 * Runs statements on an engine.
 *
 * Both methods throw `StatementError` with the failure in the caller's words, `EngineLostError` when the engine was lost, and
 * the signal's reason when the caller gave up.
 */
export interface Executor {
  /** `onExecuted` is awaited when the engine has the result and only its writing or checking is left. */
  execute(statement: Statement, signal: AbortSignal, onExecuted: () => Promise<void>): Promise<WrittenResult>;
  /** Prepares the statement without executing it, except the query for the values of a PIVOT that does not list them. */
  describe(statement: Statement, signal: AbortSignal): Promise<Description>;
  close(): Promise<void>;
}
