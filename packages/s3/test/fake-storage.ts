import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Answer that a fake storage gives in place of its own. */
interface FakeAnswer {
  readonly status: number;
  readonly code: string;
}

/**
 * Storage in memory with the failures of storages that are not to be had. It ignores the conditions of writes, and checks
 * no signature.
 */
export interface FakeStorage extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, string>;
  /** Called before each request. */
  answer: (method: string, key: string, headers: IncomingMessage["headers"]) => FakeAnswer | undefined;
}

/** Starts a fake storage on loopback. */
export async function startFakeStorage(): Promise<FakeStorage> {
  const objects = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const { method = "GET", headers } = request;
    const { pathname } = new URL(request.url ?? "/", "http://storage");
    const key = decodeURIComponent(pathname).split("/").slice(2).join("/");
    const body = await text(request);
    const isList = method === "GET" && key === "";
    const isMissing = (method === "GET" || method === "HEAD") && !isList && !objects.has(key);
    const refused =
      storage.answer(method, key, headers) ?? (isMissing ? { status: 404, code: "NoSuchKey" } : undefined);
    if (refused !== undefined) {
      response.writeHead(refused.status, { "content-type": "application/xml" });
      return response.end(`<Error><Code>${refused.code}</Code></Error>`);
    }
    if (method === "PUT") objects.set(key, body);
    if (method === "DELETE") objects.delete(key);
    if (isList) {
      const keys = [...objects.keys()].map((each) => `<Contents><Key>${each}</Key></Contents>`);
      return response.end(`<ListBucketResult>${keys.join("")}</ListBucketResult>`);
    }
    response.writeHead(200, { etag: `"${objects.size}-${body.length}"` });
    response.end(method === "GET" ? objects.get(key) : undefined);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const storage: FakeStorage = {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    answer: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return storage;
}
