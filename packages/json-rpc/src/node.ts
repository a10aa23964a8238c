import type { IncomingMessage, ServerResponse } from "node:http";
import { joined } from "./bytes.ts";
import type { Handler, Piece, Reply, RequestHeaders } from "./handler.ts";
import { bodyTooLarge, corsOf, decidedByHead, isEndpoint, notFound } from "./http.ts";

export { corsOf } from "./http.ts";

export interface RequestListenerOptions {
  /** Answers what is not for the endpoint. HTTP 404 if left out. */
  readonly fallback?: (request: IncomingMessage, response: ServerResponse) => void;
  /** The origins of the web pages that may call; all where left out. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** How long the rest of a refused body is read and thrown away, so that its sender gets to read the answer. */
const refusedBodyMs = 5_000;

/** The headers of a request as handlers get them. */
export function headersOf(request: IncomingMessage): RequestHeaders {
  return {
    get(name) {
      const value = request.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

/** Of the listener that answers, where it is not open to all. */
const allowedOrigins = new WeakMap<ServerResponse, readonly string[]>();

function writeHead(response: ServerResponse, reply: Reply, more?: Readonly<Record<string, string>>): void {
  const bytes = reply.body?.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const length = bytes === undefined || reply.stream !== undefined ? undefined : { "content-length": bytes };
  // Only browsers send an origin, and each header has its price.
  const { origin } = response.req.headers;
  const cors = origin === undefined ? undefined : corsOf(origin, allowedOrigins.get(response));
  response.writeHead(reply.status, { ...reply.headers, ...length, ...cors, ...more });
}

function write(response: ServerResponse, reply: Reply): void {
  writeHead(response, reply);
  if (reply.stream !== undefined) {
    follow(response, reply.body ?? [], reply.stream).catch((error) => abandon(response, error));
    return;
  }
  const pieces = joined(reply.body ?? []);
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}

/** Sends each piece on its own, once the one before has left. */
async function follow(
  response: ServerResponse,
  body: readonly Piece[],
  stream: AsyncIterable<Uint8Array>,
): Promise<void> {
  const send = (piece: Piece) =>
    new Promise<void>((resolve, reject) => {
      response.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  for (const piece of body) await send(piece);
  for await (const piece of stream) await send(piece);
  response.end();
}

/** Ends a connection whose answer does not come, or not to its end. */
function abandon(response: ServerResponse, error: unknown): void {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause && cause.code === "ECONNRESET") response.socket?.resetAndDestroy();
  else response.destroy();
}

/** Answers before the body has come. The connection closes, once its sender has finished or lost our patience. */
function refuseBody(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  writeHead(response, reply, { connection: "close" });
  for (const piece of reply.body ?? []) response.write(piece);
  const patience = setTimeout(() => request.destroy(), refusedBodyMs);
  request.on("close", () => clearTimeout(patience));
  request.on("end", () => response.end());
  request.resume();
}

function join(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** A listener for `node:http` servers. Calls see their signal aborted when the client disconnects. */
export function createRequestListener(handler: Handler, options: RequestListenerOptions = {}): RequestListener {
  const { maxBodyBytes } = handler.limits;
  const { fallback = (request, response) => refuse(request, response, notFound) } = options;

  /** A refusal that does not depend on the body. */
  function refuse(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    const bodyBytes = Number(request.headers["content-length"] ?? 0);
    if (bodyBytes > maxBodyBytes || request.headers["transfer-encoding"] !== undefined)
      refuseBody(request, response, reply);
    // A small body is read to its end by node:http, which keeps the connection for the next request.
    else write(response, reply);
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: Uint8Array): void {
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort(new Error("the caller disconnected"));
    });
    const settle = (reply: Reply): void => {
      if (!response.destroyed) write(response, reply);
    };
    handler.handle(body, headersOf(request), gone.signal).then(settle, (error) => abandon(response, error));
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const collect = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) {
        chunks.push(chunk);
        return;
      }
      request.off("data", collect).off("end", finish);
      refuseBody(request, response, bodyTooLarge(maxBodyBytes));
    };
    const finish = (): void => answer(request, response, join(chunks));
    request.on("data", collect).on("end", finish);
  }

  return (request, response) => {
    // A client that leaves in the middle is an error event here; there is nobody to tell.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (options.allowedOrigins !== undefined) allowedOrigins.set(response, options.allowedOrigins);
    if (!isEndpoint(request.url ?? "")) return fallback(request, response);
    const decided = decidedByHead(request.method ?? "", request.headers["content-type"]);
    if (decided !== undefined) return refuse(request, response, decided);
    if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes)
      return refuseBody(request, response, bodyTooLarge(maxBodyBytes));
    receive(request, response);
  };
}
