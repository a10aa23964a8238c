import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { configFlag, optionalDataDirFlag, setFlag, settingBrief } from "../../data-directory/flags.ts";
import { withoutDefault } from "../../flags.ts";
import { settingTable } from "../../generated/settings.ts";
import { listenFlags } from "../../listening/flags.ts";
import type { ServeFlags } from "./action.ts";

/** `quern serve`: starts the service. */
export const serveCommand: Command<Context> = buildCommand<ServeFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runServe,
  parameters: {
    flags: {
      dataDir: { ...optionalDataDirFlag, brief: settingBrief("dataDir") },
      port: { ...withoutDefault(listenFlags.port), brief: settingBrief("port") },
      host: { ...withoutDefault(listenFlags.host), brief: settingBrief("host") },
      strictSandbox: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: settingTable.strictSandbox.text,
      },
      allowedHosts: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "names",
        brief: settingBrief("allowedHosts"),
      },
      open: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief:
          "Print a link that signs a browser in to the console, once, for 5 minutes. In a terminal on a machine with a display, also open it.",
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
      "  quern serve --open",
      "  quern serve --config quern.json --set logLevel=info",
      "  QUERN_API_KEY=qk_mine quern serve --port 8090 --json",
      "  quern serve --set limits.maxConnections=500 --set shutdownDelaySeconds=10",
      "",
      "SETTINGS",
      ...settingLines(false),
      "  limits.…  Limits of runs, callers and requests; `quern configuration` lists them.",
      "",
      "ENVIRONMENT",
      ...settingLines(true),
      "  QUERN_CONFIG  JSON file of settings. Each setting has a variable, too, such as QUERN_LIMITS_MAX_RUNNING_RUNS.",
    ].join("\n"),
  },
});

/** Returns a line for each setting with its name, or for each secret with its variable. */
function settingLines(areSecret: boolean): readonly string[] {
  return Object.entries(settingTable)
    .filter(([, setting]) => "secret" in setting === areSecret)
    .map(
      ([name, { variable, text, defaultText }]) => `  ${areSecret ? variable : name}  ${text} Default: ${defaultText}.`,
    );
}
