import { connectionFlags } from "../connection/flags.ts";

/** Default of the longest wait for a run, in seconds. */
export const runTimeoutSeconds = 1_200;

/** The flag for the longest wait for a run. @param stop What the command does then. */
export function runTimeoutFlag(stop: string) {
  const seconds = runTimeoutSeconds.toLocaleString("en");
  return { ...connectionFlags.timeoutSeconds, brief: `${stop} after so many seconds. Default: ${seconds}.` } as const;
}

/** The flag of commands that wait for a run. */
export const progressFlag = {
  progress: {
    kind: "boolean",
    optional: true,
    brief: "Show the state of the run on stderr; by default only where stdout and stderr are terminals.",
  },
} as const;
