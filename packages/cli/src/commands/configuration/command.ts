import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { configFlag, setFlag } from "../../data-directory/flags.ts";
import { formatFlags } from "../../output/flags.ts";
import type { ConfigurationFlags } from "./action.ts";

/** `quern configuration`: the settings that a service would start with. */
export const configurationCommand: Command<Context> = buildCommand<ConfigurationFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runConfiguration,
  parameters: { flags: { ...configFlag, ...setFlag, ...formatFlags } },
  docs: {
    brief: "Show the settings that the service would start with.",
    fullDescription: [
      "Shows each setting of the service: its value, its unit, its environment variable, and if the value was set or is the default.",
      "Settings come from the file, the environment and --set, which override each other in this order.",
      "",
      "EXAMPLES",
      "  quern configuration --config quern.json",
      "  quern configuration --set limits.maxBatch=50 --format csv",
    ].join("\n"),
  },
});
