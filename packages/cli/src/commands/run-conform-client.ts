import { UsageError } from "../cli-error.ts";
import { commandFunction, type JsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-code.ts";
import { optionalPackage } from "../optional-package.ts";
import { expectedFailuresIn } from "./expected-failures.ts";
import { mendable } from "./mendable.ts";

export interface ConformClientFlags extends JsonFlag {
  readonly command: string;
  readonly case?: readonly string[];
  readonly expectedFailures?: string;
  readonly failOn: "must" | "should";
}

export const runConformClient = commandFunction(async (context: Context, flags: ConformClientFlags) => {
  const { process } = context;
  const kit = await optionalPackage<typeof import("@quern/conformance/client")>(
    "conform-client",
    "@quern/conformance/client",
    process.cwd(),
  );
  const cases = flags.case?.map((name) => {
    const found = kit.adversaryCases.find((one) => one.name === name);
    if (found === undefined) throw new UsageError(`there is no case ${JSON.stringify(name)}`);
    return found;
  });
  const options = {
    command: flags.command,
    ...(cases && { cases }),
    ...(flags.expectedFailures !== undefined && { expectedFailures: await expectedFailuresIn(flags.expectedFailures) }),
  };
  const results = await mendable(kit.CommandError, () => kit.runCommand(options));
  process.stdout.write(`${flags.json ? JSON.stringify(results) : kit.formatResults(results, flags.failOn)}\n`);
  if (!kit.isAsExpected(results, flags.failOn)) process.exitCode = exitCodes.unexpected;
});
