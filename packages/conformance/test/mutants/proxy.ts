import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** JSON as a mutant sees it: it reads and changes any member. */
// biome-ignore lint/suspicious/noExplicitAny: a mutant changes members of any method.
export type Json = any;

/** Call, and its response object. */
export interface Exchanged {
  readonly call: Json;
  readonly reply: Json;
}

/** Fault of a server. Each function changes its argument; other answers are correct. */
export interface Mutation {
  /** Changes a call before the service gets it. */
  readonly call?: (call: Json) => void;
  /** Changes the response to a call. */
  readonly reply?: (exchanged: Exchanged) => void;
  /** Changes the responses to a batch. */
  readonly batch?: (replies: Json[]) => void;
}

export interface Proxy extends AsyncDisposable {
  readonly url: string;
}

/** Starts a proxy that forwards requests to a service and applies a mutation. */
export async function startProxy(service: string, mutationOf: () => Mutation): Promise<Proxy> {
  const mutation = mutationOf();
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const calls = parsed(sent);
    for (const call of [calls].flat()) if (isCall(call)) mutation.call?.(call);
    const body = calls === undefined ? sent : JSON.stringify(calls);
    const { status, headers, text } = await forward(service, request, body);
    const replies = parsed(text);
    for (const reply of [replies].flat()) {
      const call = [calls].flat().find((one) => isCall(one) && one.id === reply?.id);
      if (call !== undefined) mutation.reply?.({ call, reply });
    }
    if (Array.isArray(replies)) mutation.batch?.(replies);
    response.writeHead(status, headers).end(replies === undefined ? text : JSON.stringify(replies));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function forward(service: string, { method = "POST", url = "/", headers }: IncomingMessage, body: BodyInit) {
  const { "content-type": type = "application/json", "x-api-key": key = "" } = headers;
  const response = await fetch(new URL(url, service), {
    method,
    headers: { "content-type": type, "x-api-key": String(key) },
    ...(method === "POST" ? { body } : {}),
  });
  const sent = { "content-type": response.headers.get("content-type") ?? "text/plain" };
  return { status: response.status, headers: sent, text: await response.text() };
}

function parsed(body: Buffer | string): Json {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

const isCall = (value: Json): boolean => typeof value?.method === "string" && Array.isArray(value.params);
