import type { Completion, ParameterDescription, ResultCaps, SourceTable, UploadedTable } from "@quern/adapter";
import type { Cells, Parameters, ResultColumn } from "@quern/query-run/record";
import type { Database } from "../sources/held-data.ts";
import type { SourceObjects } from "./source-objects.ts";

/**
 * Part that the runs of one user on one source share: `user`, a process with its engine; `instance`, a process, which opens
 * an engine for each run; `run`, nothing.
 */
export type Isolation = "user" | "instance" | "run";

/** Arguments and answers of the tasks of a statement process. They cross the process boundary as structured clones. */
export interface SandboxTask {
  readonly databases: readonly Database[];
  /** Views and macros of the databases. @default unknown */
  readonly objects?: SourceObjects;
  /** Files of the caller, under the paths that the process has for them. @default none */
  readonly uploads?: readonly UploadedTable[];
}

/** State of a process after a task. */
export interface FinishAnswer {
  /** True if the next task finds the engine and the directory as the first one did. */
  readonly isClean: boolean;
  /** Processor time that the process has used since its start. */
  readonly processorSeconds: number;
}

export interface DescribeTask extends Required<SandboxTask> {
  readonly sql: string;
}

export interface ExecuteTask extends DescribeTask, ResultCaps {
  readonly parameters: Parameters | null;
}

export interface CompleteTask extends DescribeTask {
  /** Offset in UTF-16 code units. */
  readonly position: number;
}

export interface ExecuteAnswer {
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  /** Undefined if a file has the rows. */
  readonly cells?: Cells | undefined;
}

export interface DescribeAnswer {
  readonly columns: readonly ResultColumn[];
  readonly parameters: readonly ParameterDescription[];
  /** True if columns have values of rows as their names. */
  readonly hasRowNames: boolean;
}

export type TablesAnswer = readonly SourceTable[];

export type CompleteAnswer = readonly Completion[];

/**
 * Name of the empty database that an engine opens instead of one in memory. It is read-only, so no statement can create
 * anything that outlives its connection. Its catalog has the name that the engine gives to a database in memory.
 */
export const emptyDatabase = "memory.duckdb";
