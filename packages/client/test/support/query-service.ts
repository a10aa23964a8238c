import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "@quern/server";
import { type ClientOptions, createClient } from "../../src/index.ts";

const apiKey = "a key of the tests";

/** Sends the response of the service to a download on to the client. */
export type Forward = (upstream: IncomingMessage, response: ServerResponse) => void;

/** Sends a response unchanged. */
const forward: Forward = (upstream, response) => {
  response.writeHead(upstream.statusCode ?? 0, upstream.headers);
  upstream.pipe(response);
};

/** Starts a Quern service behind a proxy, through which the tests change downloads. */
export async function startQueryService() {
  const dataDir = await mkdtemp(join(tmpdir(), "quern-client-"));
  const server = await createServer({ dataDir, apiKey });
  const { url } = await server.listen();
  let onDownload = forward;
  // The service makes its links with the header `host`, so a client downloads through the proxy, too.
  const proxy = createHttpServer((incoming, response) => {
    const { method, headers } = incoming;
    const outgoing = request(new URL(incoming.url ?? "", url), { method, headers }, (upstream) => {
      upstream.on("error", () => response.destroy());
      response.on("close", () => upstream.destroy());
      (method === "GET" ? onDownload : forward)(upstream, response);
    });
    incoming.pipe(outgoing.on("error", () => response.destroy()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo; // It listens on a port, not on a pipe.
  return {
    /** Creates a client that records the methods of its calls. The proxy passes its downloads to `download`. */
    connect(download = forward, options: Partial<ClientOptions> = {}) {
      onDownload = download;
      const methods: string[] = [];
      const client = createClient({
        url: `http://127.0.0.1:${port}`,
        apiKey,
        ...options,
        interceptors: [
          (sent, next) => {
            methods.push(...sent.methods);
            return next(sent);
          },
          ...(options.interceptors ?? []),
        ],
      });
      return { client, methods };
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Sends the first bytes of a download. @param end Ends the response, or its connection. */
export function cutAfter(byteCount: number, end: (response: ServerResponse) => void): Forward {
  return (upstream, response) => {
    response.writeHead(upstream.statusCode ?? 0, upstream.headers);
    let left = byteCount;
    upstream.on("data", (chunk: Buffer) => {
      if (left <= 0) return;
      response.write(chunk.subarray(0, left), () => left <= 0 && end(response));
      left -= chunk.length;
    });
  };
}
