import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import type { EngineResult } from "./result.ts";
import type { HeldData, Source } from "./source.ts";
import type { Query, Statement } from "./statement.ts";

/** Revision of a source whose engine cannot detect changes. Its results are reused by age only. */
export const unknownRevision = "unknown";

export interface ParameterDescription {
  readonly name: string;
  /** Null if the engine knows the type only after a value is bound. */
  readonly type: string | null;
}

export interface Description {
  readonly columns: readonly ResultColumn[];
  readonly parameters: readonly ParameterDescription[];
  /**
   * True if columns can have values of rows in their names or types, such as those of a PIVOT that does not list its values.
   * A caller who may not read rows then gets an error. @default false
   */
  readonly hasRowNames?: boolean;
}

export interface TableColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly engineType: string;
  readonly nullable: boolean;
  /** Comment of the column. @default none */
  readonly comment?: string;
}

/** Table or view of a source, by the names that qualify it in SQL. */
export interface SourceTable {
  readonly catalog: string;
  readonly schema: string;
  readonly name: string;
  /** Comment of the table. @default none */
  readonly comment?: string;
  readonly columns: readonly TableColumn[];
  /** Names of the columns of the primary key, in its order. @default there is none, or the engine has no keys */
  readonly primaryKey?: readonly string[];
  /** Estimated number of rows. @default unknown */
  readonly rowEstimate?: number;
}

export type CompletionKind = "keyword" | "catalog" | "schema" | "table" | "column" | "function" | "type";

/** Text that can replace the statement from `start` to the requested position. */
export interface Completion {
  readonly text: string;
  /** Offset in UTF-16 code units. */
  readonly start: number;
  /** Null if the engine does not report it. */
  readonly kind: CompletionKind | null;
}

/** Statement that the engine has accepted. */
export interface Execution {
  /**
   * Id with which another process can cancel the query, see {@link SourceKind.cancel}. Null for an engine whose queries
   * end with the process that began them.
   */
  readonly engineQueryId: string | null;
  /** Returns the completed share of the work, from 0 to 1; null if the engine does not report it. */
  progress(): number | null;
  /**
   * Waits until the engine has the result or begins to deliver it. Called once.
   * @throws {StatementError} if the statement fails
   * @throws {EngineLostError} if the engine is lost
   * @throws the reason of the signal that `begin` was given, if it is aborted
   */
  result(): Promise<EngineResult>;
  /** Ends the query if it still runs, and removes its files. Called once, after the result was stored or discarded. */
  release(): Promise<void>;
}

/**
 * Kind of data source: the adapter of an engine. One adapter serves all sources of its kind. The contract suite in
 * `@quern/adapter/contract` checks the behaviour that the service relies on.
 *
 * Methods that run a statement throw `StatementError` with the failure that the caller is shown, `EngineLostError` if
 * the engine is lost, and the reason of the signal if it is aborted.
 */
export interface SourceKind<Data extends HeldData = HeldData> {
  /** True if statements can read uploaded files as tables. @default false, and the service refuses them */
  readonly readsUploads?: boolean;
  /** Returns a text that changes whenever the data changes, or {@link unknownRevision}. */
  revision(source: Source): Promise<string>;
  /**
   * Takes a snapshot of the data, which stays until it is released. A source without snapshots returns its revision and
   * a `release` that does nothing.
   */
  hold(source: Source): Promise<Data>;
  /**
   * Returns the columns and parameters of a statement. Reads none of its rows, but may run queries that its columns
   * depend on, such as the one for the values of a PIVOT that does not list them.
   */
  describe(query: Query<Data>, signal: AbortSignal): Promise<Description>;
  /** Starts a statement on the engine. Resolves when the engine has accepted the statement, before it has rows. */
  begin(statement: Statement<Data>, signal: AbortSignal): Promise<Execution>;
  /**
   * Cancels a query that another process began, for instance one that was killed. Does nothing for a query that has
   * ended.
   * @param owner caller of the query, whose rights may be needed to cancel it
   */
  cancel(source: Source, engineQueryId: string, owner?: Pick<Query, "tenantId" | "userId">): Promise<void>;
  /** Lists the tables of a source. Absent if the engine cannot list them. */
  tables?(query: Omit<Query<Data>, "sql" | "parameters">, signal: AbortSignal): Promise<readonly SourceTable[]>;
  /**
   * Suggests completions of a statement, the most likely first. Absent if the engine cannot complete statements.
   * @param position offset in UTF-16 code units, at most the length of the statement
   */
  complete?(
    query: Omit<Query<Data>, "parameters">,
    position: number,
    signal: AbortSignal,
  ): Promise<readonly Completion[]>;
  /**
   * Connects as the user of a source, and refuses one that may do more than the statements of callers need. Called when
   * the service starts, for sources with `runAs: "fixed"`; `begin` must refuse the same. Absent if the engine has no such
   * check.
   * @throws {StatementError} `AccessDenied`
   * @throws {EngineLostError} if the engine cannot be reached, which does not keep the service from starting
   */
  checkRole?(source: Source, signal: AbortSignal): Promise<void>;
  /** Ends all queries and releases all resources. */
  close(): Promise<void>;
}
