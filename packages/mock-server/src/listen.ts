import type { IncomingMessage, ServerResponse } from "node:http";
import { createHostCheck, hostName, isLoopbackName } from "@quern/json-rpc/host-check";
import { createRequestListener, type RequestListener } from "@quern/json-rpc/node";
import type { Page, PageOptions } from "@quern/json-rpc/page";
import { memberCheck } from "./member-check.ts";
import type { MockServer } from "./mock-server.ts";
import { downloadPath, uploadPath } from "./wire/addresses.ts";

// An import statement reads all exports of `node:http`, and with them loads `fetch`, which would double the start time.
const { createServer } = process.getBuiltinModule("node:http");

export interface ListenOptions {
  /** Port to listen on; 0 selects a free one. @default 0 */
  readonly port?: number;
  /** @default "127.0.0.1" */
  readonly host?: string;
  /**
   * Host names that the administration API accepts beside loopback names, such as the name of a container. Other names are refused, because
   * a web page can point its own name at this machine (DNS rebinding).
   * @default none if `host` is a loopback address, otherwise any name
   */
  readonly allowedHosts?: readonly string[];
}

const checkOptions = memberCheck<ListenOptions>("listen", {
  port: { type: "number" },
  host: { type: "string" },
  allowedHosts: { type: "array", items: { type: "string" } },
});

const json = { "content-type": "application/json" };
const text = { "content-type": "text/plain" };
const healthy = '{"status":"ok"}\n';

function refusal(header: string | undefined): string {
  return `Host not allowed: ${hostName(header)}; add it to allowedHosts of listen, or to --allowed-hosts of quern mock.`;
}

export interface Listening {
  /** Base URL for clients. `GET {url}/healthz` answers 200. */
  readonly url: string;
  /** Base URL of the administration API, which `spec/mock-admin.json` describes. */
  readonly adminUrl: string;
  readonly port: number;
  /** Closes all connections, and frees the port. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Sends the file of a download, which is in memory. */
async function sendFile(file: Response, response: ServerResponse): Promise<void> {
  response.writeHead(file.status, Object.fromEntries(file.headers)).end(new Uint8Array(await file.arrayBuffer()));
}

async function bytesOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/** Opens the page of the package `@quern/console`. Returns undefined if it is not installed. */
async function openConsole(refusal: PageOptions["refusal"]): Promise<Page | undefined> {
  const { findPageFolder, openPage } = await import("@quern/json-rpc/page");
  const directory = findPageFolder("@quern/console");
  return directory === undefined ? undefined : openPage({ directory, path: "/console/", ...(refusal && { refusal }) });
}

/**
 * Serves a mock over HTTP, and the console at `/console/` if the package `@quern/console` is installed.
 * @throws Error with the code EADDRINUSE if the port is in use. TypeError for a value that is not a mock. TypeError
 * or RangeError for an option that is not valid.
 */
export async function listen(mock: MockServer, options: ListenOptions = {}): Promise<Listening> {
  if (typeof mock?.handler?.handle !== "function")
    throw new TypeError("listen: expected a mock server as the first argument, such as createMockServer()");
  checkOptions(options);
  const { port = 0, host = "127.0.0.1", allowedHosts } = options;
  const isAllowed = allowedHosts === undefined && !isLoopbackName(host) ? () => true : createHostCheck(allowedHosts);
  let admin: Promise<RequestListener> | undefined;

  /** Loads the administration API on first use, because most tests control a mock in their own process. */
  async function adminListener(): Promise<RequestListener> {
    const { createAdminHandler } = await import("./admin/admin-handler.ts");
    return createRequestListener(createAdminHandler(mock));
  }

  let page: Promise<Page | undefined> | undefined;

  /** Answers requests of the console if its package is installed. Loads it on first use, as most tests show no page. */
  async function answersConsole(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (!/^\/(?:$|[?]|console(?:$|[/?]))/.test(request.url ?? "")) return false;
    page ??= openConsole(({ headers }) => (isAllowed(headers.host) ? undefined : refusal(headers.host))).catch(
      () => undefined,
    );
    return (await page)?.(request, response) ?? false;
  }

  const server = createServer(
    createRequestListener(mock.handler, {
      async fallback(request, response) {
        const { method = "", url, headers } = request;
        if (url === "/healthz" && ["GET", "HEAD"].includes(method))
          return void response.writeHead(200, json).end(healthy);
        if (url?.startsWith(downloadPath)) return sendFile(await mock.fetch(`${mock.url}${url}`, { method }), response);
        if (url?.startsWith(uploadPath)) {
          const body = method === "PUT" ? { body: await bytesOf(request) } : {};
          return sendFile(await mock.fetch(`${mock.url}${url}`, { method, ...body }), response);
        }
        if (await answersConsole(request, response)) return;
        // Browsers send `Origin` with requests of web pages, which must not control the mock.
        if (headers.origin !== undefined) return void response.writeHead(403).end();
        if (!isAllowed(headers.host)) return void response.writeHead(403, text).end(`${refusal(headers.host)}\n`);
        request.url = request.url?.replace(/^\/{1,2}admin(?=\/)/, "");
        admin ??= adminListener();
        (await admin)(request, response);
      },
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  const address = server.address();
  // The address is a string only for a server on a pipe.
  const boundPort = typeof address === "object" && address !== null ? address.port : port;

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  const name = host.includes(":") ? `[${host}]` : host;
  const url = `http://${name}:${boundPort}`;
  return { url, adminUrl: `${url}/admin`, port: boundPort, close, [Symbol.asyncDispose]: close };
}
