import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface WireCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [Record<string, unknown>];
}

/** HTTP request that arrived. */
export interface Exchange {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly calls: readonly WireCall[];
  readonly isBatch: boolean;
  /** Set when the client disconnected before the answer. */
  abandoned: boolean;
  answered: boolean;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body: text is sent unchanged, any other value as JSON. `drop` closes the connection instead. */
  readonly body: unknown;
}

/** Timeout of `expect.poll` on a loaded machine. */
export const patience = { timeout: 5000, interval: 5 };

export const drop = Symbol("drop");

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /** Number of connections so far. */
  connections(): number;
}

/** HTTP server on loopback that answers as the test specifies. */
export async function startServer(answer: (exchange: Exchange) => Answer | Promise<Answer>): Promise<ScriptedServer> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    const calls = (Array.isArray(body) ? body : [body]) as WireCall[]; // Our own client's requests.
    const exchange: Exchange = {
      path: request.url ?? "",
      headers: request.headers,
      calls,
      isBatch: Array.isArray(body),
      abandoned: false,
      answered: false,
    };
    exchanges.push(exchange);
    response.on("close", () => {
      exchange.abandoned = !response.writableFinished;
    });
    const reply = await answer(exchange);
    exchange.answered = true;
    if (reply.body === drop) return void request.socket.destroy();
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // It listens on a port, not on a pipe.
    exchanges,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers each call by itself; a batch gets an array, a single call an object. */
export function each(reply: (call: WireCall, exchange: Exchange) => object): (exchange: Exchange) => Answer {
  return (exchange) => {
    const replies = exchange.calls.map((call) => ({ jsonrpc: "2.0", id: call.id, ...reply(call, exchange) }));
    return { body: exchange.isBatch ? replies : replies[0] };
  };
}

export const error = (code: number, message: string, data?: unknown) => ({ error: { code, message, data } });
