import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../context.ts";
import { dataDirFlag } from "./data-directory.ts";
import { listenFlags } from "./listening.ts";
import type { ServeFlags } from "./run-serve.ts";

/** `quern serve`: the service. */
export const serveCommand: Command<Context> = buildCommand<ServeFlags, [], Context>({
  loader: async () => (await import("./run-serve.ts")).runServe,
  parameters: {
    flags: {
      dataDir: {
        ...dataDirFlag,
        brief: "Where the service keeps runs, results and keys; DuckDB files in its `sources` are the data sources.",
      },
      strictSandbox: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Do not start where this machine lacks a layer of the sandbox; `quern doctor` tells which.",
      },
      ...listenFlags,
    },
  },
  docs: {
    brief: "Start the query service.",
    fullDescription: [
      "Starts the query service on a data directory, and tells its address once it answers.",
      "QUERN_API_KEY sets the first key; a directory without a key has one made, which is shown once.",
      "",
      "EXAMPLES",
      "  quern serve --data-dir ./data",
      "  QUERN_API_KEY=qk_mine quern serve --port 8090 --json",
    ].join("\n"),
  },
});
