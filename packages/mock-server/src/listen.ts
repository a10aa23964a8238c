import { createServer } from "node:http";
import { createRequestListener } from "@quern/json-rpc/node";
import { createAdminHandler } from "./admin/admin-handler.ts";
import type { MockServer } from "./mock-server.ts";

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
  // No web page that is open on this machine may script the mock.
  const admin = createRequestListener(createAdminHandler(mock), { allowedOrigins: [] });
  const server = createServer(
    createRequestListener(mock.handler, {
      fallback(request, response) {
        request.url = request.url?.replace(/^\/{1,2}admin(?=\/)/, "");
        admin(request, response);
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
