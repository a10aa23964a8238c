import { createClient, listQueryRuns } from "@quern/client";
import type { Context } from "../command-function.ts";
import { AuthError } from "../errors/cli-error.ts";
import type { ConfigFile } from "../profiles/config-file.ts";
import { prepareNetwork } from "./connect.ts";

/** Longest wait for the answer to the request that tests a key, in milliseconds. */
const timeoutMs = 20_000;

interface Proof {
  readonly url: string;
  readonly key: string;
  /** Profile whose proxy and authorities are used, if it exists. */
  readonly profile: string;
  readonly file: ConfigFile | undefined;
}

/**
 * Tests a key with one request, which changes nothing.
 * @throws {AuthError} The service refuses the key.
 * @throws {QuernError} The service cannot be called.
 */
export async function proveKey(context: Context, { url, key, profile, file }: Proof): Promise<void> {
  await prepareNetwork(file?.profiles.get(profile), profile, file?.path, context);
  const client = createClient({ url, apiKey: key });
  await listQueryRuns(client, { limit: 1 }, { timeoutMs }).catch((error: unknown) => {
    const { kind, status, errorName } = Object(error);
    // The service knows the key: a key may have no right to list runs, and another service may lack the method.
    const isKnown = status !== 401 && (errorName === "AuthorizationError" || kind === "rpc" || kind === "undeclared");
    if (isKnown) return;
    if (status === 401) throw new AuthError(`the service at ${url} does not accept this key`);
    throw error;
  });
}
