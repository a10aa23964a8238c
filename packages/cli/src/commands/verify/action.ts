import { readFile } from "node:fs/promises";
import { type Context, commandFunction } from "../../command-function.ts";
import { serverError } from "../../conformance-kit.ts";
import { apiKeyOf } from "../../connection/api-key.ts";
import { UsageError } from "../../errors/cli-error.ts";
import { exitCodes } from "../../errors/exit-code.ts";
import type { JsonFlag } from "../../flags.ts";
import { httpUrl } from "../../http-address.ts";
import { optionalPackage } from "../../optional-package.ts";
import { printableLines } from "../../output/terminal.ts";
import { runStateCommand } from "../../state-command.ts";

export interface VerifyFlags extends JsonFlag {
  readonly against: string;
  readonly stateUrl?: string;
  readonly stateCommand?: string;
  readonly timeout?: number;
  readonly apiKeyFile?: string;
}

type Kit = typeof import("@quern/conformance");
type ChangeState = NonNullable<Parameters<Kit["verify"]>[0]["changeState"]>;

export const runVerify = commandFunction(async (context: Context, flags: VerifyFlags, path: string) => {
  const { process } = context;
  const kit = await optionalPackage<Kit>("verify", "@quern/conformance", process.cwd());
  const options = {
    ledger: await jsonIn(path),
    url: httpUrl(flags.against, "--against").href,
    apiKey: await apiKeyOf(flags, context),
    ...(flags.timeout !== undefined && { timeoutMs: flags.timeout * 1_000 }),
    ...changeStateBy(flags),
  };
  const verification = await kit.verify(options).catch((error: unknown) => {
    if (error instanceof kit.LedgerError) throw new UsageError(`${path}: ${error.message}`);
    throw serverError(kit, error);
  });
  process.stdout.write(
    `${flags.json ? JSON.stringify(verification) : printableLines(kit.formatVerification(verification))}\n`,
  );
  if (!verification.isVerified) process.exitCode = exitCodes.unexpected;
  else if (!verification.isConclusive) process.exitCode = exitCodes.timeout;
});

/**
 * Returns the function that changes provider states, if a flag is given.
 * @throws {UsageError} Both flags are given, or the URL is invalid.
 */
function changeStateBy({ stateUrl, stateCommand }: VerifyFlags): { readonly changeState?: ChangeState } {
  if (stateUrl !== undefined && stateCommand !== undefined)
    throw new UsageError("--state-url and --state-command are both given; remove one of them");
  if (stateUrl !== undefined) return { changeState: changeStateAt(httpUrl(stateUrl, "--state-url")) };
  if (stateCommand === undefined) return {};
  return { changeState: (change, signal) => runStateCommand(stateCommand, change, signal) };
}

function changeStateAt(url: URL): ChangeState {
  return async (change, signal) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(change);
    const response = await fetch(url, { method: "POST", headers, body, signal }).catch((error) => {
      throw new Error(`no answer from ${url.href}: ${error.cause?.message ?? error.message}`);
    });
    if (!response.ok) throw new Error(`${url.href} answered HTTP ${response.status}`);
    await response.body?.cancel();
  };
}

async function jsonIn(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(`cannot read the ledger: ${path}: ${reason}; name a ledger file that a mock wrote`);
  }
}
