import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import type { EngineResult } from "./result.ts";
import type { HeldData, Source } from "./source.ts";
import type { Query, Statement } from "./statement.ts";

/** Revision of data that the engine cannot tell apart: results are then reused by their age alone. */
export const unknownRevision = "unknown";

export interface ParameterDescription {
  readonly name: string;
  /** Null where the engine does not know it before a value is bound. */
  readonly type: string | null;
}

export interface Description {
  readonly columns: readonly ResultColumn[];
  readonly parameters: readonly ParameterDescription[];
}

export interface TableColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly engineType: string;
  readonly nullable: boolean;
}

/** Table or view of a source, by the names that qualify it in SQL. */
export interface SourceTable {
  readonly catalog: string;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly TableColumn[];
}

export type CompletionKind = "keyword" | "catalog" | "schema" | "table" | "column" | "function" | "type";

/** Text that can stand in the statement from `start` to the position that was asked for. */
export interface Completion {
  readonly text: string;
  /** Offset in UTF-16 code units. */
  readonly start: number;
  /** Null where the engine does not tell. */
  readonly kind: CompletionKind | null;
}

/** Statement that the engine has taken. */
export interface Execution {
  /**
   * Id under which another process can cancel the query with {@link SourceKind.cancel}; null for an engine whose queries
   * end with the process that began them.
   */
  readonly engineQueryId: string | null;
  /** Returns the share of the work that is done, from 0 to 1; null where the engine does not tell. */
  progress(): number | null;
  /**
   * Waits until the engine has the result or begins to deliver it. Called once.
   * @throws {StatementError} if the statement fails
   * @throws {EngineLostError} if the engine ends
   * @throws the reason of the signal that `begin` was given, if it is aborted
   */
  result(): Promise<EngineResult>;
  /** Ends the query if it still runs, and removes its files. Called once, when the result is stored or given up. */
  release(): Promise<void>;
}

/**
 * Kind of data source: an engine, and how it is asked. One adapter serves all sources of its kind. The contract suite of
 * `@quern/adapter/contract` tells whether it does what the service relies on.
 *
 * Methods that run a statement throw `StatementError` with the failure in words for the caller, `EngineLostError` when the
 * engine was lost, and the signal's reason when the caller gave up.
 */
export interface SourceKind<Data extends HeldData = HeldData> {
  /** Returns a text that differs whenever the data does, or {@link unknownRevision}. */
  revision(source: Source): Promise<string>;
  /** Holds the data as it is until it is released; a source whose data is not held returns its revision alone. */
  hold(source: Source): Promise<Data>;
  /** Prepares a statement without executing it, except the query for the values of a PIVOT that does not list them. */
  describe(query: Query<Data>, signal: AbortSignal): Promise<Description>;
  /** Hands a statement to the engine. Resolves as soon as the id of the query is known. */
  begin(statement: Statement<Data>, signal: AbortSignal): Promise<Execution>;
  /** Cancels a query that another process began, for instance one that was killed. A query that has ended is no error. */
  cancel(source: Source, engineQueryId: string): Promise<void>;
  /** Lists the tables of a source in the order of their names; absent where the engine cannot. */
  tables?(query: Omit<Query<Data>, "sql" | "parameters">, signal: AbortSignal): Promise<readonly SourceTable[]>;
  /**
   * Suggests how a statement goes on, the most likely first; absent where the engine cannot.
   * @param position offset in UTF-16 code units, at most the length of the statement
   */
  complete?(
    query: Omit<Query<Data>, "parameters">,
    position: number,
    signal: AbortSignal,
  ): Promise<readonly Completion[]>;
  /** Ends what still runs. */
  close(): Promise<void>;
}
