import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import { runArgument } from "../../run/flags.ts";
import type { CancelFlags } from "./action.ts";

/** `quern cancel`, which is also `quern runs cancel`: cancels runs. */
export const cancelCommand: Command<Context> = buildCommand<CancelFlags, string[], Context>({
  loader: async () => (await import("./action.ts")).runCancelRuns,
  parameters: {
    flags: { ...connectionFlags, ...jsonFlag },
    positional: { kind: "array", parameter: runArgument, minimum: 1 },
  },
  docs: { brief: "Cancel runs, also for other requests that share them." },
});
