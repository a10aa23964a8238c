import { readFile } from "node:fs/promises";
import type { Client } from "@quern/client";
import type { Context } from "../command-function.ts";
import { AuthError, UsageError } from "../errors/cli-error.ts";
import { keepDigits } from "./exact-json.ts";
import { type ConnectionFlags, defaultUrl } from "./flags.ts";

/** Shorter than the default of the client, because a user waits at the terminal. */
const outageTimeoutMs = 60_000;

/** A client by flags and environment. @throws UsageError, AuthError where something is missing. */
export async function connect({ url, ...flags }: ConnectionFlags, context: Context): Promise<Client> {
  const address = httpUrl(url ?? (context.process.env.QUERN_URL || defaultUrl));
  const apiKey = await apiKeyOf(flags, context);
  const { createClient } = await import("@quern/client");
  return createClient({ url: address, apiKey, outageTimeoutMs, interceptors: [keepDigits] });
}

/** @throws UsageError, AuthError */
export async function apiKeyOf(
  { apiKeyFile }: Pick<ConnectionFlags, "apiKeyFile">,
  { process: { env } }: Context,
): Promise<string> {
  const apiKey = apiKeyFile === undefined ? env.QUERN_API_KEY : await keyIn(apiKeyFile);
  if (!apiKey) throw new AuthError("there is no API key");
  return apiKey;
}

/** @throws UsageError */
export function httpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new UsageError(
    `${JSON.stringify(text)} is no http address; --url and QUERN_URL take one such as ${defaultUrl}`,
  );
}

async function keyIn(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`the key file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
