import type { IncomingMessage, ServerResponse } from "node:http";
import { joined } from "./bytes.ts";
import type { Handler, Piece, Reply, RequestHeaders } from "./handler.ts";
import { bodyTooLarge, corsOf, isEndpoint, notFound, replyByHead } from "./http.ts";

export { corsOf } from "./http.ts";

/** Options of `createRequestListener`. */
export interface RequestListenerOptions {
  /**
   * Answers requests to other paths than `/json-rpc`.
   * @default HTTP 404
   */
  readonly fallback?: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Origins of the web pages that may call.
   * @default all origins
   */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Longest time for which the rest of a refused body is read and discarded, so that a client that still sends it gets
 * the answer.
 */
const refusedBodyMs = 5_000;

/** Returns the headers of a request for a handler. */
export function headersOf(request: IncomingMessage): RequestHeaders {
  return {
    get(name) {
      const value = request.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

/** Option `allowedOrigins` of the listener of each response. */
const allowedOrigins = new WeakMap<ServerResponse, readonly string[]>();

function writeHead(response: ServerResponse, reply: Reply, more?: Readonly<Record<string, string>>): void {
  const bytes = reply.body?.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const length = bytes === undefined || reply.stream !== undefined ? undefined : { "content-length": bytes };
  // Performance: CORS headers are added only for browsers, which send the header `origin`.
  const { origin } = response.req.headers;
  const cors = origin === undefined ? undefined : corsOf(origin, allowedOrigins.get(response));
  response.writeHead(reply.status, { ...reply.headers, ...length, ...cors, ...more });
}

function write(response: ServerResponse, reply: Reply): void {
  writeHead(response, reply);
  if (reply.stream !== undefined) {
    sendStream(response, reply.body ?? [], reply.stream).catch((error) => closeConnection(response, error));
    return;
  }
  const pieces = joined(reply.body ?? []);
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}

/** Sends the body and the stream with backpressure: each piece is written once the previous one has been sent. */
async function sendStream(
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

/** Closes or resets the connection of a response that cannot be completed. */
function closeConnection(response: ServerResponse, error: unknown): void {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause && cause.code === "ECONNRESET") response.socket?.resetAndDestroy();
  else response.destroy();
}

/**
 * Answers before the body has arrived. Closes the connection when the client has sent the body, or after
 * `refusedBodyMs`.
 */
function refuseBody(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  writeHead(response, reply, { connection: "close" });
  for (const piece of reply.body ?? []) response.write(piece);
  const timer = setTimeout(() => request.destroy(), refusedBodyMs);
  request.on("close", () => clearTimeout(timer));
  request.on("end", () => response.end());
  request.resume();
}

function join(chunks: readonly Buffer[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/**
 * Creates a request listener for `node:http` servers. When the client disconnects, the signal of its calls is aborted.
 */
export function createRequestListener(handler: Handler, options: RequestListenerOptions = {}): RequestListener {
  const { maxBodyBytes } = handler.limits;
  const { fallback = (request, response) => refuse(request, response, notFound) } = options;

  /** Sends a refusal that does not depend on the body. */
  function refuse(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    const bodyBytes = Number(request.headers["content-length"] ?? 0);
    if (bodyBytes > maxBodyBytes || request.headers["transfer-encoding"] !== undefined)
      refuseBody(request, response, reply);
    // `node:http` reads a small body to its end and keeps the connection for the next request.
    else write(response, reply);
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: Uint8Array): void {
    const disconnected = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) disconnected.abort(new Error("the client disconnected"));
    });
    const send = (reply: Reply): void => {
      if (!response.destroyed) write(response, reply);
    };
    handler
      .handle(body, headersOf(request), disconnected.signal)
      .then(send, (error) => closeConnection(response, error));
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
    // A disconnect of the client emits an error event, which would crash the process without a listener.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (options.allowedOrigins !== undefined) allowedOrigins.set(response, options.allowedOrigins);
    if (!isEndpoint(request.url ?? "")) return fallback(request, response);
    const early = replyByHead(request.method ?? "", request.headers["content-type"]);
    if (early !== undefined) return refuse(request, response, early);
    if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes)
      return refuseBody(request, response, bodyTooLarge(maxBodyBytes));
    receive(request, response);
  };
}
