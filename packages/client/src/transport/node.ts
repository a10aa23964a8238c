import type { IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { urlToHttpOptions } from "node:url";
import type { HttpReply, Transport } from "./transport.ts";

/** Loads a module of Node where `getBuiltinModule` is missing: before 20.16. The path is any that is absolute. */
function requireModule(name: "node:http" | "node:https"): typeof import("node:http") {
  return createRequire(process.execPath)(name);
}

/** What sends over `http:` or `https:`, with connections that are kept. */
function senderOf(protocol: string) {
  // An import would read all that the module exports, and load Node's `fetch` with it: 40 ms and 15 MB. TLS has its price, too.
  const name = protocol === "https:" ? "node:https" : "node:http";
  const { request, Agent, globalAgent } = process.getBuiltinModule?.(name) ?? requireModule(name);
  // The process's own agent has the proxy that the process was told to use; the types do not know it yet. The agent itself has
  // a timeout, which would cost each call.
  const { options } = globalAgent as { readonly options?: { readonly proxyEnv?: object } };
  const kept = { keepAlive: true, proxyEnv: options?.proxyEnv };
  return { request, agent: new Agent(kept) };
}

/** `node:http` with keep-alive: several times the calls per second of Node's `fetch`. Idle sockets do not hold the process. */
export function createTransport(): Transport {
  const senders = new Map<string, ReturnType<typeof senderOf>>();

  function targetOf(url: string) {
    const location = new URL(url);
    const sender = senders.get(location.protocol) ?? senderOf(location.protocol);
    senders.set(location.protocol, sender);
    const { protocol, hostname, port, path } = urlToHttpOptions(location);
    return {
      url,
      host: location.host,
      request: sender.request,
      place: { protocol, hostname, port, path, agent: sender.agent },
    };
  }

  let target: ReturnType<typeof targetOf> | undefined;
  return ({ url, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (target?.url !== url) target = targetOf(url);
      const { host, request, place } = target;
      const all = { ...headers, host, "content-length": String(Buffer.byteLength(body)) };
      // A list of headers and a listener of our own cost each call less than an object and the option `signal`.
      const list: string[] = [];
      for (const [name, value] of Object.entries(all)) list.push(name, value);
      const options = { ...place, method: "POST", headers: list };
      const outgoing = request(options, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", fail);
        response.on("end", () => {
          signal.removeEventListener("abort", leave);
          resolve({ status: response.statusCode ?? 0, headers: headersOf(response.headers), text });
        });
      });
      const leave = () => outgoing.destroy(new Error("the call was aborted"));
      const fail = (error: Error) => {
        signal.removeEventListener("abort", leave);
        reject(error);
      };
      outgoing.on("error", fail);
      signal.addEventListener("abort", leave);
      outgoing.end(body);
      if (signal.aborted) leave();
    });
}

/** Response headers as `Headers` gives them; several of one name are joined. */
function headersOf(headers: IncomingHttpHeaders): HttpReply["headers"] {
  return { get: (name) => headers[name.toLowerCase()]?.toString() ?? null };
}

/** Resolves once what was asked for is on its way: Node sends in its next tick, which a loop over rows leaves no room for. */
export function departure(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
