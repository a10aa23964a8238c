import { writeFile } from "node:fs/promises";
import { type Context, commandFunction } from "../../command-function.ts";
import { expectedFailuresIn, serverError } from "../../conformance-kit.ts";
import { apiKeyOf } from "../../connection/api-key.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import type { JsonFlag } from "../../flags.ts";
import { httpUrl } from "../../http-address.ts";
import { optionalPackage } from "../../optional-package.ts";
import { printableLines } from "../../output/terminal.ts";

type Kit = typeof import("@quern/conformance");
type Profile = Kit["profiles"][number];

export interface ConformFlags extends JsonFlag {
  readonly profile?: readonly string[];
  readonly expectedFailures?: string;
  readonly only?: readonly string[];
  readonly group?: readonly string[];
  readonly writeBaseline?: string;
  readonly timeout?: number;
  readonly junit?: string;
  readonly seed?: number;
  readonly tries?: number;
  readonly apiKeyFile?: string;
}

export const runConform = commandFunction(async (context: Context, flags: ConformFlags, url: string) => {
  const { process } = context;
  const kit = await optionalPackage<Kit>("conform", "@quern/conformance", process.cwd());
  const isProfile = (name: string): name is Profile => kit.profiles.some((profile) => profile === name);
  const { seed, tries, junit, only, group, timeout, writeBaseline } = flags;
  const profiles = flags.profile?.map((name) => {
    if (isProfile(name)) return name;
    throw new UsageError(`unknown profile: ${name}; use one of ${kit.profiles.join(", ")}`);
  });
  const options: Parameters<Kit["conform"]>[0] = {
    url: httpUrl(url, "url").href,
    apiKey: await apiKeyOf(flags, context),
    ...(profiles && { profiles }),
    ...(seed !== undefined && { seed }),
    ...(tries !== undefined && { tries }),
    ...(only && { ids: only }),
    ...(group && { groups: group }),
    ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
    ...(flags.expectedFailures !== undefined && {
      expectedFailures: await expectedFailuresIn(flags.expectedFailures, "HTTP-083"),
    }),
  };
  const report = await kit.conform(options).catch((error: unknown) => {
    throw error instanceof kit.SelectionError ? new UsageError(error.message) : serverError(kit, error);
  });
  if (writeBaseline !== undefined) {
    const failures = report.results.filter(({ outcome }) => outcome === "failed" || outcome === "expected-failure");
    const reasons = failures.map(({ id, problems }) => [id, options.expectedFailures?.[id] ?? problems[0]] as const);
    await writeFile(writeBaseline, `${JSON.stringify(Object.fromEntries(reasons), undefined, 2)}\n`);
  }
  if (junit !== undefined) await writeFile(junit, kit.junitReport(report));
  process.stdout.write(`${flags.json ? JSON.stringify(report) : printableLines(kit.formatReport(report))}\n`);
  if (!report.isConformant) process.exitCode = exitCodes.unexpected;
  else if (!report.isConclusive) process.exitCode = exitCodes.timeout;
});
