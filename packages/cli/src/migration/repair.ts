import { callRepairs } from "./call-repairs.ts";
import { rewriteCalls } from "./calls.ts";
import { rewritePaths } from "./json-paths.ts";
import { standardStrings } from "./masked-sql.ts";
import { rewritePhrases } from "./phrase-repairs.ts";
import { rewriteFlatten, rewriteGenerator } from "./table-functions.ts";
import { windowRepairs } from "./window-repairs.ts";

/** Rewrites a statement of Snowflake for DuckDB, construct by construct. The other text stays as it is written. */
export function repaired(sql: string): string {
  const paths = rewritePaths(rewriteFlatten(rewriteGenerator(standardStrings(sql))));
  return rewriteCalls(rewritePhrases(paths), { calls: callRepairs, windows: windowRepairs });
}
