import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../context.ts";
import { formatFlags } from "./place-flags.ts";
import type { DoctorFlags } from "./run-doctor.ts";
import { configFlag, maybeDataDirFlag } from "./service-flags.ts";

/** `quern doctor`: what this machine does for the service. */
export const doctorCommand: Command<Context> = buildCommand<DoctorFlags, [], Context>({
  loader: async () => (await import("./run-doctor.ts")).runDoctor,
  parameters: {
    flags: {
      dataDir: {
        ...maybeDataDirFlag,
        brief: "The data directory of the service: who may look into it, and its disk. Default: quern-data.",
      },
      ...configFlag,
      ...formatFlags,
    },
  },
  docs: {
    brief:
      "Tell whether this machine has what the service needs: layers of the sandbox, room on the disk, a folder of its own.",
    fullDescription: [
      "Tries out each layer around the processes of statements, and tells what follows where the machine lacks one.",
      "Looks at the disk as the service does with these settings, and at who may look into its data directory.",
      "The exit code is 4 where something is not as it should be; `quern serve --strict-sandbox` does not start without a layer.",
      "",
      "EXAMPLES",
      "  quern doctor",
      "  quern doctor --data-dir ./data --format json",
    ].join("\n"),
  },
});
