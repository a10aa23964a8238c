import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { configFlag, setFlag } from "../../data-directory/flags.ts";
import { formatFlags } from "../../output/flags.ts";
import type { ConfigurationFlags } from "./action.ts";

/** `quern configuration`: prints the settings of the service. */
export const configurationCommand: Command<Context> = buildCommand<ConfigurationFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runConfiguration,
  parameters: { flags: { ...configFlag, ...setFlag, ...formatFlags } },
  docs: {
    brief: "Print the settings that `quern serve` would start with.",
    fullDescription: [
      "Prints each setting of the service: effective value, unit, origin (set or default), environment variable and meaning.",
      "The environment overrides the file, and --set overrides both.",
      "",
      "EXAMPLES",
      "  quern configuration --config quern.json",
      "  quern configuration --set limits.maxBatch=50 --format csv",
    ].join("\n"),
  },
});
