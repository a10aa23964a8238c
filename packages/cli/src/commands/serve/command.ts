import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { configFlag, defaultDataDir, optionalDataDirFlag, setFlag } from "../../data-directory/flags.ts";
import { withoutDefault } from "../../flags.ts";
import { listenFlags } from "../../listening/flags.ts";
import type { ServeFlags } from "./action.ts";

/** `quern serve`: the service. */
export const serveCommand: Command<Context> = buildCommand<ServeFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runServe,
  parameters: {
    flags: {
      dataDir: {
        ...optionalDataDirFlag,
        brief: `Directory of runs, results and keys; DuckDB files in its folder \`sources\` are the data sources. Default: ${defaultDataDir}.`,
      },
      port: {
        ...withoutDefault(listenFlags.port),
        brief: `${listenFlags.port.brief} Default: ${listenFlags.port.default}.`,
      },
      host: {
        ...withoutDefault(listenFlags.host),
        brief: `${listenFlags.host.brief} Default: ${listenFlags.host.default}.`,
      },
      strictSandbox: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Do not start if this machine lacks a layer of the sandbox; `quern doctor` prints the layers.",
      },
      ...configFlag,
      ...setFlag,
      json: listenFlags.json,
    },
  },
  docs: {
    brief: "Start the query service.",
    fullDescription: [
      "Starts the query service on a data directory, and prints its address when it is ready.",
      "Settings come from the file, the environment (QUERN_LIMITS_MAX_RUNNING_RUNS) and --set, which override each other in this order.",
      "QUERN_API_KEY sets the first key. Default: a new key, which is printed once.",
      "",
      "EXAMPLES",
      "  quern serve --data-dir ./data",
      "  quern serve --config quern.json --set logLevel=info",
      "  QUERN_API_KEY=qk_mine quern serve --port 8090 --json",
    ].join("\n"),
  },
});
