import { readFile } from "node:fs/promises";
import type { Client } from "@quern/client";
import { AuthError, UsageError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { keepDigits } from "./exact-json.ts";
import { parseSeconds } from "./method-params.ts";

const defaultUrl = "http://127.0.0.1:8080";

export interface ConnectionFlags {
  readonly url?: string;
  readonly apiKeyFile?: string;
  readonly timeoutSeconds?: number;
}

/** The flags of every command that talks to a service. A key is never a flag: flags are seen by every user of a machine. */
export const connectionFlags = {
  url: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "url",
    brief: `Address of the service; without it QUERN_URL, else ${defaultUrl}.`,
  },
  apiKeyFile: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "File that holds the API key; without it QUERN_API_KEY.",
  },
  timeoutSeconds: {
    kind: "parsed",
    parse: parseSeconds,
    optional: true,
    placeholder: "number",
    brief: "Stop waiting for the answer after this long; 60 by default.",
  },
} as const;

/** Shorter than the default of the client, because a user waits at the terminal. */
const unreachableMs = 60_000;

/** A client by flags and environment. @throws UsageError, AuthError where something is missing. */
export async function connect({ url, ...flags }: ConnectionFlags, context: Context): Promise<Client> {
  const address = httpUrl(url ?? (context.process.env.QUERN_URL || defaultUrl));
  const apiKey = await apiKeyOf(flags, context);
  const { createClient } = await import("@quern/client");
  return createClient({ url: address, apiKey, unreachableMs, interceptors: [keepDigits] });
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
