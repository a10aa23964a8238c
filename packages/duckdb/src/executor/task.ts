import type { Completion, ParameterDescription, ResultCaps, SourceTable } from "@quern/adapter";
import type { Parameters, ResultColumn } from "@quern/query-run/record";
import type { Database } from "../sources/held-data.ts";

/** Arguments and answers of the tasks of a statement process. They cross the process boundary as structured clones. */
export interface SandboxTask {
  readonly databases: readonly Database[];
}

export interface DescribeTask extends SandboxTask {
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
  readonly path: string;
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
}

export interface DescribeAnswer {
  readonly columns: readonly ResultColumn[];
  readonly parameters: readonly ParameterDescription[];
}

export type TablesAnswer = readonly SourceTable[];

export type CompleteAnswer = readonly Completion[];
