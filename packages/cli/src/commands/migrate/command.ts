import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import { sourceFlags } from "../../statement/flags.ts";
import type { MigrateCheckFlags } from "./action.ts";

const checkCommand = buildCommand<MigrateCheckFlags, [...patterns: string[]], Context>({
  loader: async () => (await import("./action.ts")).runMigrateCheck,
  parameters: {
    flags: {
      write: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Write the rewritten statements of a file such as report.sql beside it, to report.quern.sql.",
      },
      ...sourceFlags,
      ...connectionFlags,
      ...jsonFlag,
    },
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        parse: String,
        placeholder: "files",
        brief: "Files with statements, a pattern such as 'old/**/*.sql' in quotes, or a folder.",
      },
    },
  },
  docs: {
    brief: "Check which statements of Snowflake a data source of DuckDB accepts.",
    fullDescription: [
      "Binds each statement on the service, which does not run it. A statement runs, may return other values silently, has a",
      "rewrite that the data source accepts, or must be rewritten by hand. With the package @polyglot-sql/sdk, which you install",
      "beside the CLI or in the current folder, more statements have a rewrite.",
      "",
      "EXAMPLES",
      "  quern migrate check report.sql",
      '  quern migrate check "old/**/*.sql" --write',
      "  quern migrate check old --data-source chains --json",
      "",
      "EXIT CODES",
      "  0 the data source accepts all statements, 1 it refuses some, 2 usage, 3 missing or refused key, 7 no connection",
    ].join("\n"),
  },
});

/** `quern migrate`: checks statements of the old service. */
export const migrateRoute = buildRouteMap({
  routes: { check: checkCommand },
  docs: { brief: "Check statements of the closed hosted service, which ran Snowflake." },
});
