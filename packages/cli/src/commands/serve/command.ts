import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { configFlag, defaultDataDir, optionalDataDirFlag, setFlag } from "../../data-directory/flags.ts";
import { withoutDefault } from "../../flags.ts";
import { listenFlags } from "../../listening/flags.ts";
import type { ServeFlags } from "./action.ts";

/** `quern serve`: starts the service. */
export const serveCommand: Command<Context> = buildCommand<ServeFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runServe,
  parameters: {
    flags: {
      dataDir: {
        ...optionalDataDirFlag,
        brief: `Directory of runs, results, keys and data sources. Default: ${defaultDataDir}.`,
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
        brief: "Start only if all sandbox layers other than landlock are present; `quern doctor` lists them.",
      },
      allowedHosts: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "names",
        brief:
          "Host names, in addition to loopback names, under which programs of this machine may read /metrics, separated by commas.",
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
      "The environment overrides the file of settings, and flags override both. `quern configuration` lists the settings.",
      "",
      "EXAMPLES",
      "  quern serve --data-dir ./data",
      "  quern serve --config quern.json --set logLevel=info",
      "  QUERN_API_KEY=qk_mine quern serve --port 8090 --json",
      "  quern serve --set limits.maxConnections=500 --set shutdownDelaySeconds=10",
      "",
      "ENVIRONMENT",
      "  QUERN_API_KEY  First key of the service. Default: if no key is active, a new key, which is printed once.",
      "  QUERN_STORE_PASSWORD  Password of the store that the setting store names.",
      "  QUERN_CONFIG   JSON file of settings. Each setting has a variable, too, such as QUERN_LIMITS_MAX_RUNNING_RUNS.",
    ].join("\n"),
  },
});
