import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Request that a proxy has passed on. */
interface PassedRequest {
  readonly method: string;
  /** Path without parameters. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Bytes of the body of the response, so far. */
  responseBytes: number;
}

/** StorageProxy before an object storage, which counts requests and breaks connections. */
export interface StorageProxy extends AsyncDisposable {
  readonly endpoint: string;
  readonly requests: PassedRequest[];
  /**
   * Called before each request. `dropAnswer` lets the storage perform it, and closes the connection without an answer;
   * `accept` answers 200 without the storage.
   */
  fault: (passed: PassedRequest) => "dropAnswer" | "accept" | "none";
  /** Number of bytes of a response after which its connection is closed, for the next response that is as long. */
  breakAfterBytes: number | undefined;
}

/** Starts a proxy. It keeps the header `host`, which is part of the signature. */
export async function startProxy(target: string): Promise<StorageProxy> {
  const requests: PassedRequest[] = [];
  const server = createServer((incoming, outgoing) => pass(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const proxy: StorageProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    fault: () => "none",
    breakAfterBytes: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = "GET", url = "/", headers } = incoming;
    const passed: PassedRequest = { method, path: url.split("?", 1)[0] ?? "", headers, responseBytes: 0 };
    requests.push(passed);
    const fault = proxy.fault(passed);
    if (fault === "accept") return void incoming.resume().once("end", () => outgoing.end());
    const onward = request(target + url, { method, headers, agent: false }, (answer) => {
      if (fault === "dropAnswer") return void answer.resume().once("end", () => outgoing.destroy());
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("data", (chunk: Buffer) => {
        passed.responseBytes += chunk.length;
        if (proxy.breakAfterBytes !== undefined && passed.responseBytes > proxy.breakAfterBytes) {
          proxy.breakAfterBytes = undefined;
          outgoing.destroy();
          answer.destroy();
        } else if (!outgoing.write(chunk)) {
          answer.pause();
          outgoing.once("drain", () => answer.resume());
        }
      });
      answer.once("end", () => outgoing.end());
      answer.once("error", () => outgoing.destroy());
    });
    onward.once("error", () => outgoing.destroy());
    incoming.pipe(onward);
    outgoing.once("close", () => onward.destroy());
  }

  return proxy;
}
