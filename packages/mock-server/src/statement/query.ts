import { exactNumberOf, isNegativeZero, type Parameters, type Tags } from "@quern/query-run/record";

/** Statement, as stubs and `execute` receive it. */
export interface MockQuery {
  readonly sql: string;
  /** Values; a number that a double cannot hold is a bigint if it is an integer, else its text. */
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
  return { sql, parameters: parameters && copyOf(parameters), tags: { ...tags }, dataSource };
}

function copyOf(parameters: Parameters): Parameters {
  if (Array.isArray(parameters)) return parameters.map(parameterValue);
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, parameterValue(value)]));
}

function parameterValue(value: unknown): unknown {
  const exact = exactNumberOf(value);
  if (exact === undefined) return structuredClone(value);
  if (isNegativeZero(exact)) return -0;
  return exact.includes(".") ? exact : BigInt(exact);
}

/** Returns the statement of a `describeQuery` call. */
export function describedQuery(params: StatementParams): MockQuery {
  return { ...queryOf(params), describes: true };
}
