import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { configFlag, optionalDataDirFlag } from "../../data-directory/flags.ts";
import { settingTable } from "../../generated/settings.ts";
import { formatFlags } from "../../output/flags.ts";
import type { DoctorFlags } from "./action.ts";

/** `quern doctor`: checks if this machine is ready for the service. */
export const doctorCommand: Command<Context> = buildCommand<DoctorFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runDoctor,
  parameters: {
    flags: {
      dataDir: {
        ...optionalDataDirFlag,
        brief: `Data directory of the service, whose permissions and disk are checked. Default: ${settingTable.dataDir.default}.`,
      },
      ...configFlag,
      ...formatFlags,
    },
  },
  docs: {
    brief:
      "Check this machine for the service: sandbox layers, free disk space, permissions of the data directory and the sources.",
    fullDescription: [
      "Tests each layer of the sandbox that statements run in, the used share of the disk against the setting",
      "limits.maxDiskShare, the permissions of the data directory, access to the files of the data sources, and the store and the",
      "results if the settings name them. Run it as the user of the service. Prints the consequence of each failed check.",
      "`quern serve --strict-sandbox` starts only if all sandbox layers other than landlock are present. If landlock is missing, its",
      "ok is null, and the check does not fail.",
      "",
      "EXAMPLES",
      "  quern doctor",
      "  quern doctor --data-dir ./data --format json",
      "",
      "EXIT CODES",
      "  0 all checks pass, 2 usage, 4 a check fails",
    ].join("\n"),
  },
});
