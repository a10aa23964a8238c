import { setFlagsFromString } from "node:v8";
import { optionalPackage } from "../optional-package.ts";

/** Optional package that rewrites whole statements. */
export const transpilerName = "@polyglot-sql/sdk";

/** Function of the package that is used; its declarations are not needed to build the command line. */
interface Polyglot {
  init(): Promise<void>;
  /** The result of a statement that cannot be parsed has no `sql`. */
  transpile(sql: string, from: "snowflake", to: "duckdb"): { readonly sql?: readonly string[] | null };
}

/** Returns the rewritten statement, or undefined if the transpiler cannot parse it. */
export type Transpile = (sql: string) => string | undefined;

/** Loads the transpiler. Returns undefined if it is not installed. */
export async function loadTranspiler(folder: string): Promise<Transpile | undefined> {
  // Optimizing its 22 MB of WebAssembly takes more time than a few hundred statements.
  setFlagsFromString("--liftoff-only");
  const loaded = await optionalPackage<Polyglot>("migrate check", transpilerName, folder).catch((error: Error) => {
    if (error.name === "UsageError") return undefined;
    throw error;
  });
  if (loaded === undefined) return undefined;
  await loaded.init();
  return (sql) => {
    const [only, second] = loaded.transpile(sql.replace(ownCall, `${prefix}$1(`), "snowflake", "duckdb").sql ?? [];
    return only !== undefined && second === undefined ? restored(only) : undefined;
  };
}

/** Functions that the repairs write, or that both engines have. The transpiler would change their arguments. */
const ownCall =
  /\b(arg_max_null|arg_min_null|date_diff|datediff|date_part|date_trunc|ends_with|if|list_slice|regexp_extract|regexp_full_match|regexp_replace|split|starts_with|strftime|strptime|try_strptime)\(/gi;
const prefix = "quern_own_";

/** Restores the names of functions, and paths, which the transpiler takes for those of Snowflake. */
function restored(sql: string): string {
  return sql
    .replaceAll(new RegExp(prefix, "gi"), "")
    .replaceAll("'$.$", "'$")
    .replace(/\bcurrent_timestamp\(\)/gi, "current_timestamp");
}
