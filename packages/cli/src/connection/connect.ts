import { type CallOptions, type Client, createClient, type Interceptor } from "@quern/client";
import type { Context } from "../command-function.ts";
import type { Profile } from "../profiles/profile.ts";
import { fileOfProfile, keyOfSettings } from "./api-key.ts";
import { keepDigits } from "./exact-json.ts";
import type { ConnectionFlags } from "./flags.ts";
import { useProxies, useProxy } from "./proxies.ts";
import { resolveSettings } from "./resolve.ts";

/**
 * Longest time without an answer while a run is polled or its pages are read, in milliseconds. Shorter than the
 * client's default, because a user waits at the terminal.
 */
const outageTimeoutMs = 60_000;

/**
 * Creates a client from the flags, the environment and the profile.
 * @param interceptors By default, numbers keep their digits when they are printed.
 * @throws {UsageError} The address or the configuration file is invalid, or the key file cannot be read.
 * @throws {AuthError} No API key is set.
 */
export async function connect(
  flags: ConnectionFlags,
  context: Context,
  interceptors: readonly Interceptor[] = [keepDigits],
): Promise<Client> {
  const settings = await resolveSettings(flags, context);
  const apiKey = await keyOfSettings(settings, context);
  const { profile, file } = settings;
  await prepareNetwork(profile?.members, profile?.name ?? "", file?.path, context);
  return createClient({ url: settings.url.value, apiKey, outageTimeoutMs, interceptors });
}

/** Sets the proxy and the trusted authorities of this process. @throws {UsageError} */
export async function prepareNetwork(
  { proxy, ca_file }: Profile = {},
  name: string,
  configFile: string | undefined,
  context: Context,
): Promise<void> {
  const { env } = context.process;
  if (proxy === undefined) useProxies(env);
  else if (proxy !== "") useProxy(proxy, env);
  if (ca_file === undefined || configFile === undefined) return;
  const { trustAuthorities } = await import("./certificates.ts");
  await trustAuthorities(fileOfProfile(ca_file, configFile, context), `profile ${name}`);
}

/** Returns the time limit of a call that `--timeout-seconds` sets. */
export function timeoutOf({ timeoutSeconds }: ConnectionFlags): CallOptions {
  return timeoutSeconds === undefined ? {} : { timeoutMs: Math.round(timeoutSeconds * 1_000) };
}
