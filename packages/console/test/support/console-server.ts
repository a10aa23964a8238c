import { createServer, request } from "node:http";

export interface ConsoleServer extends AsyncDisposable {
  /** Address of the console. */
  readonly url: string;
}

/** Serves a service, and with it its console, below a path prefix, as a proxy does. */
export async function startConsole(service: () => string): Promise<ConsoleServer> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    const path = url.replace(/^\/prefix/, "");
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
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
