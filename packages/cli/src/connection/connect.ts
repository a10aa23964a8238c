import { readFile } from "node:fs/promises";
import type { CallOptions, Client, Interceptor } from "@quern/client";
import type { Context } from "../command-function.ts";
import { AuthError, UsageError } from "../errors/cli-error.ts";
import { keepDigits } from "./exact-json.ts";
import { type ConnectionFlags, defaultUrl } from "./flags.ts";
import { useProxies } from "./proxies.ts";

/**
 * Longest time without an answer while a run is polled or its pages are read, in milliseconds. Shorter than the
 * client's default, because a user waits at the terminal.
 */
const outageTimeoutMs = 60_000;

/**
 * Creates a client from the flags and the environment.
 * @param interceptors By default, numbers keep their digits when they are printed.
 * @throws {UsageError} The address is invalid, or the key file cannot be read.
 * @throws {AuthError} No API key is set.
 */
export async function connect(
  { url, ...flags }: ConnectionFlags,
  context: Context,
  interceptors: readonly Interceptor[] = [keepDigits],
): Promise<Client> {
  const { QUERN_URL } = context.process.env;
  const address = url === undefined ? httpUrl(QUERN_URL || defaultUrl, "QUERN_URL") : httpUrl(url, "--url");
  const apiKey = await apiKeyOf(flags, context);
  useProxies(context.process.env);
  const { createClient } = await import("@quern/client");
  return createClient({ url: address, apiKey, outageTimeoutMs, interceptors });
}

/** Returns the time limit of a call that `--timeout-seconds` sets. */
export function timeoutOf({ timeoutSeconds }: ConnectionFlags): CallOptions {
  return timeoutSeconds === undefined ? {} : { timeoutMs: Math.round(timeoutSeconds * 1_000) };
}

/**
 * Reads the API key from the file of the flag, else from the environment, without spaces and line ends around it.
 * @throws {UsageError} The key file cannot be read.
 * @throws {AuthError} No API key is set.
 */
export async function apiKeyOf(
  { apiKeyFile }: Pick<ConnectionFlags, "apiKeyFile">,
  { process: { env } }: Context,
): Promise<string> {
  const apiKey = (apiKeyFile === undefined ? env.QUERN_API_KEY : await keyIn(apiKeyFile))?.trim();
  if (!apiKey) throw new AuthError("missing API key");
  return apiKey;
}

/** Parses an address. @param origin Flag, argument or variable that has it. @throws {UsageError} The text is not an HTTP address. */
export function httpUrl(text: string, origin: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new UsageError(
    `invalid ${origin}: expected an HTTP address such as ${defaultUrl}, got ${JSON.stringify(text)}`,
  );
}

async function keyIn(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(`cannot read the key file: ${reason}; pass a file with a key to --api-key-file`);
  }
}
