import type { Context } from "./context.ts";
import { failureJson, failureLine, failureOf } from "./failure.ts";

/** The flag of every command for output that programs read. */
export const jsonFlag = {
  json: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "Print the output as JSON, and an error as one JSON object on stderr.",
  },
} as const;

export interface JsonFlag {
  readonly json: boolean;
}

type Perform<Flags, Args extends readonly unknown[]> = (context: Context, flags: Flags, ...args: Args) => Promise<void>;

/** Makes a command that prints its errors in one line, with an exit code by their kind. */
export function commandFunction<Flags extends JsonFlag, Args extends readonly unknown[]>(
  perform: Perform<Flags, Args>,
) {
  return async function (this: Context, flags: Flags, ...args: Args): Promise<void> {
    try {
      await perform(this, flags, ...args);
    } catch (error) {
      const { stderr, env } = this.process;
      const failure = failureOf(error);
      stderr.write(`${flags.json ? failureJson(failure) : failureLine(failure)}\n`);
      if (env.QUERN_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
      this.process.exitCode = failure.exitCode;
    }
  };
}
