import { connectionFlags } from "../connection/flags.ts";
import { groupedDigits } from "../output/digits.ts";

/** Default of the longest wait for a run, in seconds. */
export const runTimeoutSeconds = 1_200;

/** Default of the number of runs that `quern runs list` prints. */
export const listedRuns = 50;

/** Argument of commands that take a run. */
export const runArgument = {
  parse: String,
  placeholder: "run",
  brief: "Id of the run; `quern runs list` prints the ids.",
} as const;

/** Creates the flag for the longest wait for a run. @param effect Consequence for the run, as the end of the help text. */
export function runTimeoutFlag(effect: string) {
  const seconds = groupedDigits(runTimeoutSeconds);
  const brief = `Longest wait for the run, in seconds; ${effect}. Default: ${seconds}.`;
  return { ...connectionFlags.timeoutSeconds, brief } as const;
}

/** Flag of commands that wait for a run. */
export const progressFlag = {
  progress: {
    kind: "boolean",
    optional: true,
    brief: "Show the state of the run on stderr. Default: only if stdout and stderr are terminals.",
  },
} as const;
