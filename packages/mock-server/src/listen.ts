import { createRequestListener, type RequestListener } from "@quern/json-rpc/node";
import { memberCheck } from "./member-check.ts";
import type { MockServer } from "./mock-server.ts";

// An import would read all that the module exports, and load with it a browser's `fetch`, which takes as long as the rest of the start.
const { createServer } = process.getBuiltinModule("node:http");

export interface ListenOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /**
   * Names by which the mock may be scripted beside those of this machine, such as the name of a container. A request for another name
   * is refused, because a web page can have its own name lead here (DNS rebinding).
   * @default only the names of this machine where `host` is a loopback address; any name elsewhere
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

const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

function hostCheck(host: string, allowedHosts: readonly string[] | undefined) {
  if (allowedHosts === undefined && !loopback.test(host)) return () => true;
  const allowed = new Set(allowedHosts?.map((name) => name.toLowerCase()));
  return (header = ""): boolean => {
    const name = header.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
    return loopback.test(name) || allowed.has(name);
  };
}

function refusal(host = ""): string {
  return `Host not allowed: ${host}; add it to allowedHosts of listen, or to --allowed-hosts of quern mock.\n`;
}

export interface Listening {
  /** The base URL for clients. `GET {url}/healthz` answers 200 while it listens. */
  readonly url: string;
  /** The base URL of what scripts the mock; `spec/mock-admin.json` describes it. */
  readonly adminUrl: string;
  readonly port: number;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Lets a mock answer over HTTP. Rejects where the port is taken. */
export async function listen(mock: MockServer, options: ListenOptions = {}): Promise<Listening> {
  if (typeof mock?.handler?.handle !== "function")
    throw new TypeError("listen: expected a mock server as the first argument, such as createMockServer()");
  checkOptions(options);
  const { port = 0, host = "127.0.0.1", allowedHosts } = options;
  const isAllowed = hostCheck(host, allowedHosts);
  let admin: Promise<RequestListener> | undefined;

  /** Most mocks are scripted by the process they are in. */
  async function adminListener(): Promise<RequestListener> {
    const { createAdminHandler } = await import("./admin/admin-handler.ts");
    return createRequestListener(createAdminHandler(mock));
  }

  const server = createServer(
    createRequestListener(mock.handler, {
      async fallback(request, response) {
        const { method = "", url, headers } = request;
        if (url === "/healthz" && ["GET", "HEAD"].includes(method))
          return void response.writeHead(200, json).end(healthy);
        // No web page that is open on this machine may script the mock, also where its own host leads here.
        if (headers.origin !== undefined) return void response.writeHead(403).end();
        if (!isAllowed(headers.host)) return void response.writeHead(403, text).end(refusal(headers.host));
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
  // Only servers on a pipe have a name instead of a port.
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
