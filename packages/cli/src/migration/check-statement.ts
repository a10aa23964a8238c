import { type CallOptions, type Client, describeQuery, isErrorOf } from "@quern/client";
import { type Difference, differencesOf } from "./differences.ts";
import { repaired } from "./repair.ts";
import type { Transpile } from "./transpiler.ts";

export const verdicts = ["runs", "may-differ", "rewrite", "by-hand"] as const;
/** Outcome of a statement of the old service on the data source. */
export type Verdict = (typeof verdicts)[number];

/** Reason for which the engine refuses a statement. */
export interface Refusal {
  readonly errorName: string;
  readonly message: string;
  /** Line in the statement, from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly candidates?: readonly string[];
}

/** Statement that the engine accepts. */
interface Rewrite {
  readonly sql: string;
  readonly by: "rules" | "transpiler";
  /** Constructs that may still have other values. */
  readonly differences: readonly Difference[];
}

export interface StatementCheck {
  readonly verdict: Verdict;
  readonly refusal?: Refusal;
  readonly differences: readonly Difference[];
  readonly rewrite?: Rewrite;
}

export interface CheckOptions {
  readonly dataSource?: string | undefined;
  readonly dataProvider?: string | undefined;
  readonly call: CallOptions;
  /** Loads the transpiler, which takes a second. */
  transpiler(): Promise<Transpile | undefined>;
}

/** Binds a statement on the service, which does not run it, and if the engine refuses it or may return other values, a rewritten one. */
export async function checkStatement(client: Client, sql: string, options: CheckOptions): Promise<StatementCheck> {
  const refusal = await refusalOf(client, sql, options);
  const differences = refusal === undefined ? differencesOf(sql, "snowflake") : [];
  if (refusal === undefined && differences.length === 0) return { verdict: "runs", differences };
  const rewrite = await rewriteOf(client, sql, options, refusal !== undefined);
  const verdict = refusal === undefined ? "may-differ" : rewrite === undefined ? "by-hand" : "rewrite";
  return { verdict, differences, ...(refusal && { refusal }), ...(rewrite && { rewrite }) };
}

async function rewriteOf(client: Client, sql: string, options: CheckOptions, isRefused: boolean) {
  const byRules = repaired(sql);
  const found = async (text: string | undefined, by: Rewrite["by"]): Promise<Rewrite | undefined> => {
    if (text === undefined || text === sql || (await refusalOf(client, text, options)) !== undefined) return undefined;
    return { sql: text, by, differences: differencesOf(text, "duckdb") };
  };
  const rewrite = await found(byRules, "rules");
  if (rewrite !== undefined || !isRefused) return rewrite;
  // The transpiler formats the whole statement anew, so it is for those that the rules alone cannot rewrite.
  const transpile = await options.transpiler();
  return found(transpile?.(byRules), "transpiler");
}

/** Returns the engine's reason not to accept a statement. @throws {QuernError} The service did not ask the engine. */
async function refusalOf(client: Client, sql: string, options: CheckOptions): Promise<Refusal | undefined> {
  const { dataSource, dataProvider, call } = options;
  try {
    await describeQuery(client, { sql, dataSource, dataProvider }, call);
    return undefined;
  } catch (error) {
    if (!isErrorOf(describeQuery, error) || error.code !== -32173) throw error;
    const { errorName, errorMessage, errorData } = error.data;
    const { line, column, candidates } = errorData ?? {};
    const message = errorMessage.replace(/ \(line \d+, column \d+\)$/, "");
    return {
      errorName,
      message,
      ...(typeof line === "number" && { line }),
      ...(typeof column === "number" && { column }),
      ...(Array.isArray(candidates) && { candidates: candidates.map(String) }),
    };
  }
}
