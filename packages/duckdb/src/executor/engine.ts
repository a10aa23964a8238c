import type { Completion, Description, ResultCaps, SourceTable, WrittenResult } from "@quern/adapter";
import type { Parameters } from "@quern/query-run/record";
import type { Database } from "../sources/data.ts";

/** SQL of a caller on the files of a source. */
export interface EngineQuery {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly databases: readonly Database[];
}

/**
 * Runs statements on DuckDB. Each method throws `StatementError` with the failure in the caller's words,
 * `EngineLostError` when the process has ended, and the signal's reason when the caller gave up.
 */
export interface Executor {
  /** @param onProgress called now and then with the share of the work that is done, from 0 to 1, where the engine tells it */
  execute(
    query: EngineQuery,
    caps: ResultCaps,
    signal: AbortSignal,
    onProgress?: (share: number) => void,
  ): Promise<WrittenResult>;
  describe(query: EngineQuery, signal: AbortSignal): Promise<Description>;
  tables(databases: readonly Database[], signal: AbortSignal): Promise<readonly SourceTable[]>;
  /** @param position offset in UTF-16 code units */
  complete(
    query: Omit<EngineQuery, "parameters">,
    position: number,
    signal: AbortSignal,
  ): Promise<readonly Completion[]>;
  close(): Promise<void>;
}
