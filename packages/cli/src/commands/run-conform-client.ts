import { UsageError } from "../cli-error.ts";
import { commandFunction, type JsonFlag } from "../command-function.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-code.ts";
import { optionalPackage } from "../optional-package.ts";
import { expectedFailuresIn } from "./expected-failures.ts";

export interface ConformClientFlags extends JsonFlag {
  readonly command: string;
  readonly case?: readonly string[];
  readonly expectedFailures?: string;
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
  const results = await kit.runCommand({
    command: flags.command,
    ...(cases && { cases }),
    ...(flags.expectedFailures !== undefined && { expectedFailures: await expectedFailuresIn(flags.expectedFailures) }),
  });
  process.stdout.write(`${flags.json ? JSON.stringify(results) : kit.formatResults(results)}\n`);
  if (!kit.isAsExpected(results)) process.exitCode = exitCodes.unexpected;
});
