import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Stand-in for Trino, for responses that a real one gives rarely or never. */
export interface Coordinator extends AsyncDisposable {
  /** Host and port. */
  readonly host: string;
  readonly origin: string;
  readonly received: Received[];
}

/** @param reply returns the response to a request, of which `before` equal ones were received */
export async function startCoordinator(
  reply: (request: Received, before: number, origin: string) => Reply | object | Promise<Reply>,
): Promise<Coordinator> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url: path = "", headers } = request;
    const before = received.filter((each) => each.method === method && each.path === path).length;
    received.push({ method, path, headers, body });
    const answer = await reply({ method, path, headers, body }, before, origin);
    const plain = isReply(answer) ? answer : { body: JSON.stringify(answer) };
    response.writeHead(plain.status ?? 200, plain.headers).end(plain.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const host = `127.0.0.1:${port}`;
  const origin = `http://${host}`;
  return {
    host,
    origin,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function isReply(answer: Reply | object): answer is Reply {
  return "status" in answer || "body" in answer || "headers" in answer;
}

const bigint = { rawType: "bigint", arguments: [] };
export const oneColumn = [{ name: "n", type: "bigint", typeSignature: bigint }];
