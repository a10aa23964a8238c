import type { Parameters, Tags } from "@quern/query-run/record";

/** Statement, as stubs and `execute` receive it. */
export interface MockQuery {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly tags: Tags;
  readonly dataSource: string;
  /** True for a call of `describeQuery`, which has no tags and parameters. */
  readonly describes?: true;
}

/** Data source of statements that name none. A mock accepts any name. */
export const defaultSource = { dataSource: "samples", dataProvider: "quern" };

/** Params of a call with a statement. */
export interface StatementParams {
  readonly sql: string;
  readonly parameters?: Parameters | null | undefined;
  readonly tags?: Tags | undefined;
  readonly dataSource?: string | undefined;
}

/** Returns the statement of a call. Its members are copies, so that a function of the test cannot change the recorded call. */
export function queryOf({ sql, parameters = null, tags = {}, ...source }: StatementParams): MockQuery {
  const { dataSource = defaultSource.dataSource } = source;
  return { sql, parameters: parameters && structuredClone(parameters), tags: { ...tags }, dataSource };
}

/** Returns the statement of a `describeQuery` call. */
export function describedQuery(params: StatementParams): MockQuery {
  return { ...queryOf(params), describes: true };
}
