import type { Reply } from "@quern/json-rpc/handler";

/** Returns a refusal for a path outside of JSON-RPC. Its body has `error` and `error_description`, as in OAuth 2.0. */
export function refusal(
  status: number,
  error: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Reply {
  const body = JSON.stringify({ error, error_description: text });
  return { status, headers: { "content-type": "application/json", ...more }, body: [body] };
}
