import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

/** Calls a server by `node:http` alone, over connections that stay open. */
export interface Post extends Disposable {
  /** Returns the text of the answer. */
  post(method: string, params: object): Promise<string>;
}

export function createPost(url: string, apiKey: string, maxSockets = Infinity): Post {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  return {
    post: (method, params) =>
      new Promise((resolve, reject) => {
        const call = request(`${url}/json-rpc`, { method: "POST", agent, headers }, (reply) => resolve(text(reply)));
        call.on("error", reject);
        call.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] }));
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
