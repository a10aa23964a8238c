import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { configFlag, defaultDataDir, optionalDataDirFlag } from "../../data-directory/flags.ts";
import { formatFlags } from "../../output/flags.ts";
import type { DoctorFlags } from "./action.ts";

/** `quern doctor`: checks this machine for the service. */
export const doctorCommand: Command<Context> = buildCommand<DoctorFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runDoctor,
  parameters: {
    flags: {
      dataDir: {
        ...optionalDataDirFlag,
        brief: `The data directory of the service, for its permissions and its disk. Default: ${defaultDataDir}.`,
      },
      ...configFlag,
      ...formatFlags,
    },
  },
  docs: {
    brief:
      "Check this machine for the service: layers of the sandbox, space on the disk, permissions of the data directory.",
    fullDescription: [
      "Tests each layer of the sandbox around statements, and prints what a missing layer means.",
      "Checks the disk as the service does with these settings, and the permissions of its data directory.",
      "The exit code is 4 if a check fails; `quern serve --strict-sandbox` does not start without all layers.",
      "",
      "EXAMPLES",
      "  quern doctor",
      "  quern doctor --data-dir ./data --format json",
    ].join("\n"),
  },
});
