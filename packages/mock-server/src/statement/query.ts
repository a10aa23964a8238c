import type { Parameters, Tags } from "@quern/query-run/record";

/** Statement as stubs and `execute` get it. */
export interface MockQuery {
  readonly sql: string;
  readonly parameters: Parameters | null;
  readonly tags: Tags;
  readonly dataSource: string;
  /** True if only its columns are asked for, which is done without tags and parameters. */
  readonly describes?: true;
}

/** Where statements run that name no source. A mock takes any other name, too. */
export const defaultSource = { dataSource: "samples", dataProvider: "quern" };

/** Params of a call that brings a statement. */
export interface StatementParams {
  readonly sql: string;
  readonly parameters?: Parameters | null | undefined;
  readonly tags?: Tags | undefined;
  readonly dataSource?: string | undefined;
}

/** Returns the statement of a call as stubs and `execute` get it: copies, so that a test's function changes no record of the call. */
export function queryOf({ sql, parameters = null, tags = {}, ...source }: StatementParams): MockQuery {
  const { dataSource = defaultSource.dataSource } = source;
  return { sql, parameters: parameters && structuredClone(parameters), tags: { ...tags }, dataSource };
}

/** Returns the statement of a call that describes it. */
export function describedQuery(params: StatementParams): MockQuery {
  return { ...queryOf(params), describes: true };
}
