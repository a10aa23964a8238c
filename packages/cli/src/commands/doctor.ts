import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../context.ts";
import { formatFlags } from "./place-flags.ts";
import type { DoctorFlags } from "./run-doctor.ts";
import { configFlag, maybeDataDirFlag } from "./service-flags.ts";

/** `quern doctor`: checks this machine for the service. */
export const doctorCommand: Command<Context> = buildCommand<DoctorFlags, [], Context>({
  loader: async () => (await import("./run-doctor.ts")).runDoctor,
  parameters: {
    flags: {
      dataDir: {
        ...maybeDataDirFlag,
        brief: "The data directory of the service, for its permissions and its disk. Default: quern-data.",
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
