import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { extname, join } from "node:path";

const dist = join(import.meta.dirname, "../../dist");

/** Content security policy of the page, as the service sends it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface ConsoleServer extends AsyncDisposable {
  /** Address of the page. */
  readonly url: string;
  /** Codes of sign-in links, each with the key for which it is exchanged once. */
  readonly codes: Map<string, string>;
}

/** Serves the built page below a path prefix, as behind a proxy, and passes on all other requests to a service. */
export async function startConsole(service: () => string): Promise<ConsoleServer> {
  const codes = new Map<string, string>();
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? "").replace(/^\/prefix/, "");
    if (path === "/console/session") {
      let body = "";
      incoming.on("data", (chunk) => {
        body += chunk;
      });
      incoming.on("end", () => {
        const { code } = JSON.parse(body);
        const apiKey = codes.get(code);
        codes.delete(code);
        outgoing.writeHead(apiKey === undefined ? 401 : 200, { "content-type": "application/json" });
        outgoing.end(JSON.stringify({ apiKey }));
      });
      return;
    }
    if (path.startsWith("/console/")) {
      const file = path.slice("/console/".length) || "index.html";
      try {
        const data = readFileSync(join(dist, file));
        outgoing.writeHead(200, {
          "content-type": TYPES[extname(file)] ?? "application/octet-stream",
          "content-security-policy": POLICY,
        });
        outgoing.end(data);
      } catch {
        outgoing.writeHead(404).end();
      }
      return;
    }
    const { method, headers } = incoming;
    const passed = request(new URL(path, service()), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = Object(server.address());
  return {
    url: `http://127.0.0.1:${port}/prefix/console/`,
    codes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
