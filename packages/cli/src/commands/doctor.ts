import { buildCommand, type Command } from "@stricli/core";
import { jsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { formats } from "../output/format.ts";
import { dataDirFlag } from "./data-directory.ts";
import type { DoctorFlags } from "./run-doctor.ts";

/** `quern doctor`: what this machine does for the service. */
export const doctorCommand: Command<Context> = buildCommand<DoctorFlags, [], Context>({
  loader: async () => (await import("./run-doctor.ts")).runDoctor,
  parameters: {
    flags: {
      dataDir: { ...dataDirFlag, brief: "The data directory of the service; its disk is looked at." },
      format: {
        kind: "enum",
        values: formats,
        optional: true,
        brief: "Form of the rows; a table on a terminal, else jsonl.",
      },
      ...jsonFlag,
    },
  },
  docs: {
    brief: "Tell which layers of the sandbox this machine has.",
    fullDescription: [
      "Tries out each layer around the processes of statements, and tells what follows where the machine lacks one.",
      "The exit code is 4 where one is missing; `quern serve --strict-sandbox` does not start then.",
      "",
      "EXAMPLES",
      "  quern doctor",
      "  quern doctor --data-dir ./data --format json",
    ].join("\n"),
  },
});
