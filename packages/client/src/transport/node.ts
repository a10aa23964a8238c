import type { ClientRequest, IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { urlToHttpOptions } from "node:url";
import { download as fetchDownload, sendFile as fetchSendFile } from "./fetch.ts";
import { type Download, type Fetch, type FileBytes, type HttpReply, sizeOf, type Transport } from "./transport.ts";

// Read when the module is loaded, and from the process itself and not from Jest's copy of it, so that fake timers of a
// test do not stop it.
const { nextTick } = process.getBuiltinModule?.("node:process") ?? process;

/**
 * Loads a module in a Node version without `process.getBuiltinModule`, such as 20.15. `createRequire` accepts any
 * absolute path.
 */
function requireModule(name: "node:http" | "node:https"): typeof import("node:http") {
  return createRequire(process.execPath)(name);
}

/** Returns the module and a keep-alive agent for `http:` or `https:`. */
function senderOf(protocol: string) {
  // Performance: an import would evaluate all exports of the module, and load Node's `fetch` with it: 40 ms and 15 MB. TLS is loaded
  // only for `https:`.
  const name = protocol === "https:" ? "node:https" : "node:http";
  const module = process.getBuiltinModule?.(name) ?? requireModule(name);
  const { Agent, globalAgent } = module;
  // The global agent holds the proxy of the process, which the types do not declare yet. It is not used itself because its timeout
  // costs time in each call.
  const { options } = globalAgent as { readonly options?: { readonly proxyEnv?: object } };
  const proxyEnv = options?.proxyEnv;
  const agentOptions = { keepAlive: true, proxyEnv };
  return { module, agent: new Agent(agentOptions), isProxied: proxyEnv !== undefined };
}

/**
 * Makes a transport that sends with `node:http` with keep-alive, at several times the calls per second of Node's `fetch`. Idle sockets
 * do not keep the process alive.
 */
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
      module: sender.module,
      isProxied: sender.isProxied,
      destination: { protocol, hostname, port, path, agent: sender.agent },
    };
  }

  let target: ReturnType<typeof targetOf> | undefined;
  return ({ url, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (target?.url !== url) target = targetOf(url);
      const { host, module, isProxied, destination } = target;
      const all = { ...headers, host, "content-length": String(Buffer.byteLength(body)) };
      // Performance: a list of headers and an abort listener take less time than an object and the option `signal`.
      const list: string[] = [];
      for (const [name, value] of Object.entries(all)) list.push(name, value);
      // Node before 26 builds the address for a proxy from the header `host`, which it does not find in a list.
      const options = { ...destination, method: "POST", headers: isProxied ? all : list };
      // Read at each call, because test tools such as MSW and nock replace it.
      const outgoing = module.request(options, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", fail);
        response.on("end", () => {
          signal.removeEventListener("abort", onAbort);
          resolve({ status: response.statusCode ?? 0, headers: headersOf(response.headers), text });
        });
      });
      const onAbort = () => outgoing.destroy(new Error("the call was aborted"));
      const fail = (error: Error) => {
        signal.removeEventListener("abort", onAbort);
        reject(error);
      };
      outgoing.on("error", fail);
      signal.addEventListener("abort", onAbort);
      outgoing.end(body);
      if (signal.aborted) onAbort();
    });
}

/** Sends a GET request with `node:http`, or with the client's own `fetch`. An abort ends the response, too. */
export function download(url: string, signal: AbortSignal, fetch?: Fetch): Promise<Download> {
  if (fetch) return fetchDownload(url, signal, fetch);
  return new Promise((resolve, reject) => {
    const location = new URL(url);
    const { module, agent } = senderOf(location.protocol);
    const outgoing = module.request(location, { agent, signal, headers: { connection: "close" } }, (response) => {
      // An abort while nobody reads is no error.
      response.on("error", () => {});
      const chunks = response[Symbol.asyncIterator]();
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers: headersOf(headers), read: () => chunks.next() });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/**
 * Sends a file in a PUT request with `node:http`, or with the client's own `fetch`. No more than a part of it is in memory.
 */
export function sendFile(url: string, file: FileBytes, signal: AbortSignal, fetch?: Fetch): Promise<HttpReply> {
  if (fetch) return fetchSendFile(url, file, signal, fetch);
  return new Promise((resolve, reject) => {
    const location = new URL(url);
    const { module, agent } = senderOf(location.protocol);
    // A stream may be longer than its caller knows, which the service then refuses.
    const bytes = sizeOf(file);
    const headers = { connection: "close", ...(bytes !== undefined && { "content-length": bytes }) };
    const outgoing = module.request(location, { method: "PUT", agent, signal, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response.headers), text });
        // The service may answer before the whole file is sent.
        outgoing.destroy();
      });
    });
    outgoing.on("error", reject);
    writeFile(outgoing, file).catch((error: Error) => outgoing.destroy(error));
  });
}

async function writeFile(outgoing: ClientRequest, file: FileBytes): Promise<void> {
  const parts = file instanceof Uint8Array ? [file] : file instanceof Blob ? file.stream() : file;
  for await (const part of parts as AsyncIterable<Uint8Array>) {
    if (outgoing.destroyed) return;
    if (outgoing.write(part)) continue;
    await new Promise<void>((resolve) => {
      const proceed = () => {
        outgoing.off("drain", proceed).off("close", proceed);
        resolve();
      };
      outgoing.on("drain", proceed).on("close", proceed);
    });
  }
  outgoing.end();
}

/** Returns response headers with the lookup of `Headers`. */
function headersOf(headers: IncomingHttpHeaders): Download["headers"] {
  return { get: (name) => headers[name.toLowerCase()]?.toString() ?? null };
}

/**
 * Returns an idempotency key. It need not be secret, because only requests with the same API key can use it: `crypto` would
 * make the first call of a program 10 ms longer.
 */
export function uniqueKey(): string {
  return Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32)).join("-");
}

/** Resolves when the requests made so far have been sent: Node sends in the next tick, which a loop over rows would delay. */
export function requestsSent(): Promise<void> {
  return new Promise((resolve) => nextTick(resolve));
}
