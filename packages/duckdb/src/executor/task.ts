import type { Database, ParameterDescription } from "@quern/adapter";
import type { Parameters, ResultColumn } from "@quern/query-run/record";
import type { ResultCap } from "./result-cap.ts";

/** What the executor's child process is asked once its engine is open, and what it answers; both travel between the processes. */
export interface StatementTask extends ResultCap {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly databases: readonly Database[];
  readonly lowerCaseColumns: boolean;
}

export interface ExecutedTask {
  readonly path: string;
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
}

export interface DescribedTask {
  readonly columns: readonly ResultColumn[];
  readonly parameters: readonly ParameterDescription[];
}
