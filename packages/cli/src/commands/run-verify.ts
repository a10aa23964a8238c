import { readFile } from "node:fs/promises";
import { NetworkError, UsageError } from "../cli-error.ts";
import { commandFunction, type JsonFlag } from "../command-function.ts";
import { apiKeyOf, httpUrl } from "../connection.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-code.ts";
import { optionalPackage } from "../optional-package.ts";

export interface VerifyFlags extends JsonFlag {
  readonly against: string;
  readonly apiKeyFile?: string;
}

export const runVerify = commandFunction(async (context: Context, flags: VerifyFlags, path: string) => {
  const { process } = context;
  const kit = await optionalPackage<typeof import("@quern/conformance")>("verify", "@quern/conformance", process.cwd());
  const options = {
    ledger: await jsonIn(path),
    url: httpUrl(flags.against).href,
    apiKey: await apiKeyOf(flags, context),
  };
  const verification = await kit.verify(options).catch((error: unknown) => {
    if (error instanceof kit.UnreachableError) throw new NetworkError(error.message);
    throw error instanceof kit.LedgerError ? new UsageError(`${path} is no ledger: ${error.message}`) : error;
  });
  process.stdout.write(`${flags.json ? JSON.stringify(verification) : kit.formatVerification(verification)}\n`);
  if (!verification.isKept) process.exitCode = exitCodes.unexpected;
});

async function jsonIn(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new UsageError(`the ledger cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
