import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Answers a method in place of the service. Undefined forwards the call. */
type Answer = (method: string) => { readonly result?: unknown; readonly error?: object } | undefined;

/** Starts a proxy in front of a service, which answers some methods itself and records all calls. */
export async function startFront(
  serviceUrl: string,
  answer: Answer,
  onGet: (response: ServerResponse, request: IncomingMessage) => void = (response) => response.writeHead(404).end(),
) {
  const calls: string[] = [];

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.method === "GET") return onGet(outgoing, incoming);
    const body = await text(incoming);
    const { id, method } = JSON.parse(body);
    calls.push(method);
    const own = answer(method);
    if (own !== undefined) {
      outgoing.writeHead(200, { "content-type": "application/json" });
      return void outgoing.end(JSON.stringify({ jsonrpc: "2.0", id, ...own }));
    }
    // The service builds download links from the host header.
    const headers = { ...incoming.headers, host: new URL(serviceUrl).host };
    const forwarded = request(`${serviceUrl}/json-rpc`, { method: "POST", headers });
    forwarded.end(body);
    // `once` does not declare the type of the event's arguments.
    const [response] = (await once(forwarded, "response")) as [IncomingMessage];
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const noSuchMethod = { error: { code: -32_601, message: "Method not found" } };
