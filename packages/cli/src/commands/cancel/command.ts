import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import { runArgument } from "../../run/flags.ts";
import type { CancelFlags } from "./action.ts";

const flags = { ...connectionFlags, ...jsonFlag };
const positional = { kind: "array", parameter: runArgument } as const;

/** `quern cancel`: cancels runs, or the only unfinished one. */
export const cancelCommand: Command<Context> = buildCommand<CancelFlags, string[], Context>({
  loader: async () => (await import("./action.ts")).runCancel,
  parameters: { flags, positional },
  docs: { brief: "Cancel runs, also for other requests that share them; without a run, the only unfinished one." },
});

/** `quern runs cancel`: cancels the named runs. In a script, an empty list of runs must not cancel another one. */
export const cancelRunsCommand: Command<Context> = buildCommand<CancelFlags, string[], Context>({
  loader: async () => (await import("./action.ts")).runCancelRuns,
  parameters: { flags, positional },
  docs: { brief: "Cancel runs, also for other requests that share them." },
});
