import type { Reply } from "@quern/json-rpc/handler";

/** Returns a reply for a refused request of a path that does not speak JSON-RPC, with a name and a text as OAuth has them. */
export function refusal(
  status: number,
  error: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Reply {
  const body = JSON.stringify({ error, error_description: text });
  return { status, headers: { "content-type": "application/json", ...more }, body: [body] };
}
