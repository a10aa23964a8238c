import { type Context, commandFunction } from "../../command-function.ts";
import { expectedFailuresIn } from "../../conformance-kit.ts";
import { UsageError, withUsageErrors } from "../../errors/cli-error.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import type { JsonFlag } from "../../flags.ts";
import { optionalPackage } from "../../optional-package.ts";
import { printableLines } from "../../output/terminal.ts";

export interface ConformClientFlags extends JsonFlag {
  readonly command: string;
  readonly case?: readonly string[];
  readonly expectedFailures?: string;
  readonly failOn: "must" | "should";
}

type Kit = typeof import("@quern/conformance/client");

/**
 * Returns the advice for an unknown case: the cases whose names contain the text, or else the guide that lists the
 * cases.
 */
function suggestion({ adversaryCases }: Kit, text: string): string {
  const names = adversaryCases
    .map(({ name }) => name)
    .filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  return names.length === 0
    ? "; the contract testing guide lists the cases"
    : `; did you mean ${names.map((name) => JSON.stringify(name)).join(" or ")}?`;
}

export const runConformClient = commandFunction(async (context: Context, flags: ConformClientFlags) => {
  const { process } = context;
  const kit = await optionalPackage<Kit>("conform-client", "@quern/conformance/client", process.cwd());
  const cases = flags.case?.map((name) => {
    const found = kit.adversaryCases.find((one) => one.name === name);
    if (found === undefined) throw new UsageError(`unknown case: ${JSON.stringify(name)}${suggestion(kit, name)}`);
    return found;
  });
  const options = {
    command: flags.command,
    ...(cases && { cases }),
    ...(flags.expectedFailures !== undefined && {
      expectedFailures: await expectedFailuresIn(flags.expectedFailures, "HTTP 502 once"),
    }),
  };
  const results = await withUsageErrors(kit.CommandError, () => kit.runCommand(options));
  process.stdout.write(
    `${flags.json ? JSON.stringify(results) : printableLines(kit.formatResults(results, flags.failOn))}\n`,
  );
  if (!kit.isAsExpected(results, flags.failOn)) process.exitCode = exitCodes.unexpected;
});
