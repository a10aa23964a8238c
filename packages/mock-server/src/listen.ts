import { createRequestListener, type RequestListener } from "@quern/json-rpc/node";
import type { MockServer } from "./mock-server.ts";

// An import would read all that the module exports, and load with it a browser's `fetch`, which takes as long as the rest of the start.
const { createServer } = process.getBuiltinModule("node:http");

export interface ListenOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly host?: string;
}

export interface Listening {
  /** The base URL for clients. */
  readonly url: string;
  /** The base URL of what scripts the mock; `spec/mock-admin.json` describes it. */
  readonly adminUrl: string;
  readonly port: number;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Lets a mock answer over HTTP. Rejects where the port is taken. */
export async function listen(
  mock: MockServer,
  { port = 0, host = "127.0.0.1" }: ListenOptions = {},
): Promise<Listening> {
  let admin: Promise<RequestListener> | undefined;

  /** Most mocks are scripted by the process they are in. */
  async function adminListener(): Promise<RequestListener> {
    const { createAdminHandler } = await import("./admin/admin-handler.ts");
    return createRequestListener(createAdminHandler(mock));
  }

  const server = createServer(
    createRequestListener(mock.handler, {
      async fallback(request, response) {
        // No web page that is open on this machine may script the mock, also where its own host leads here.
        if (request.headers.origin !== undefined) return void response.writeHead(403).end();
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
