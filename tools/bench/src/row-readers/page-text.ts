import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Result } from "./reading.ts";

export const agent = new Agent({ keepAlive: true });

/** The answer to the call of one page, by `node:http` as it is. */
export function pageText({ url, apiKey, queryRunId, pageSize }: Result, number: number): Promise<string> {
  const params = [{ queryRunId, page: { number, size: pageSize } }];
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  return new Promise((resolve, reject) => {
    const call = request(`${url}/json-rpc`, { method: "POST", agent, headers }, (reply) => resolve(text(reply)));
    call.on("error", reject);
    call.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getQueryRunResults", params }));
  });
}
