import { get } from "node:http";
import { get as getSecurely } from "node:https";

/** Sends a ping to a server, and returns the HTTP status of the answer. The client library does not return it. */
export async function ping(origin: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const url = new URL("/ping", origin);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? getSecurely : get)(url, { agent: false, signal }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
  });
}
