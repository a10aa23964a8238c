import { issueKey, type NewKey } from "@quern/server/administration";
import type { TestServer } from "../fixture.ts";

interface Outcome {
  readonly status: number;
  readonly result?: { readonly [member: string]: unknown };
  readonly error?: { readonly code: number; readonly data?: unknown };
}

/** Calls a server with a key of its own. */
export interface Caller {
  readonly keyId: string;
  readonly key: string;
  call(method: string, params?: object, headers?: Readonly<Record<string, string>>): Promise<Outcome>;
}

export async function callWith(
  url: string,
  credential: Readonly<Record<string, string>>,
  body: object,
): Promise<Response> {
  const headers = { "content-type": "application/json", ...credential };
  return fetch(`${url}/json-rpc`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** A user with a key, issued beside the server that runs. */
export async function caller({ dataDir, url }: TestServer, options: Omit<NewKey, "dataDir"> = {}): Promise<Caller> {
  const { id, key } = await issueKey({ dataDir, ...options });
  return {
    keyId: id,
    key,
    async call(method, params = {}, headers = {}) {
      const body = { jsonrpc: "2.0", id: 1, method, params: [params] };
      const response = await callWith(url, { "x-api-key": key, ...headers }, body);
      return { status: response.status, ...((await response.json()) as Omit<Outcome, "status">) };
    },
  };
}
