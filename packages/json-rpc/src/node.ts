import type { IncomingMessage, ServerResponse } from "node:http";
import { smallBodyBytes } from "./admission.ts";
import { createBodyDiscarder } from "./body-discarder.ts";
import { createBodyReader } from "./body-reader.ts";
import { joined } from "./bytes.ts";
import { type Handler, MethodError, type Piece, type Reply, type RequestHeaders } from "./handler.ts";
import { corsOf, errorReply, isEndpoint, notFound, replyByHead } from "./http.ts";
import { InternalError } from "./method.ts";

export { createBodyDiscarder } from "./body-discarder.ts";
export { corsOf } from "./http.ts";

/** Options of `createRequestListener`. */
export interface RequestListenerOptions {
  /**
   * Answers requests to other paths than `/json-rpc`.
   * @default HTTP 404
   */
  readonly fallback?: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Returns true for the paths, with or without a query, that the handler answers.
   * @default `/json-rpc`
   */
  readonly isEndpoint?: (path: string) => boolean;
  /**
   * Reads the headers of a request, for example with the address that a proxy reports.
   * @default `headersOf`
   */
  readonly headersOf?: (request: IncomingMessage) => RequestHeaders;
  /**
   * Origins of the web pages that may call.
   * @default all origins
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Maximum size of the bodies of all requests that have not been answered, in bytes. Bodies of at most 64 kB are not
   * counted, so that callers with large bodies do not block the others.
   * @default no limit
   */
  readonly maxBufferedBytes?: number;
  /**
   * Error for a request whose body no longer fits into `maxBufferedBytes`.
   * @default HTTP 503 with the code -32603 and `Retry-After`
   */
  readonly overloaded?: MethodError;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Longest time for which the rest of a refused body is read and discarded, so that a client that still sends it gets
 * the answer.
 */
const refusedBodyMs = 5_000;
/** Delay of the answer to a refused body, so that a client that sends such bodies in a loop costs little. */
const refusalDelayMs = 100;

/** Returns the headers of a request for a handler, and the address of the connection. */
export function headersOf(request: IncomingMessage): RequestHeaders {
  return {
    address: request.socket.remoteAddress,
    get(name) {
      const value = request.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

type Origins = RequestListenerOptions["allowedOrigins"];

function writeHead(
  response: ServerResponse,
  reply: Reply,
  allowedOrigins: Origins,
  more?: Readonly<Record<string, string>>,
): void {
  const bytes = reply.body?.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const length = bytes === undefined || reply.stream !== undefined ? undefined : { "content-length": bytes };
  // Performance: CORS headers are added only for browsers, which send the header `origin`.
  const { origin } = response.req.headers;
  const cors = origin === undefined ? undefined : corsOf(origin, allowedOrigins);
  response.writeHead(reply.status, { ...reply.headers, ...length, ...cors, ...more });
}

function write(response: ServerResponse, reply: Reply, allowedOrigins: Origins): void {
  writeHead(response, reply, allowedOrigins);
  if (reply.stream !== undefined) {
    sendStream(response, reply.body ?? [], reply.stream).catch((error) => closeConnection(response, error));
    return;
  }
  const pieces = joined(reply.body ?? []);
  const { onSent } = reply;
  const last = pieces.at(-1);
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  if (last === undefined || onSent === undefined) return void response.end(last);
  // After an error, the system may still read the bytes.
  response.write(last, (error) => error ?? onSent());
  response.end();
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

const defaultOverloaded = new MethodError(InternalError, "Too many request bodies in memory; retry", {
  httpStatus: 503,
  headers: { "retry-after": "1" },
});

/**
 * Creates a request listener for `node:http` servers. It authenticates a request before it reads the body. When the
 * client disconnects, the signal of its calls is aborted.
 */
export function createRequestListener(handler: Handler, options: RequestListenerOptions = {}): RequestListener {
  const { fallback = (request, response) => refuse(request, response, notFound), allowedOrigins } = options;
  const { maxBufferedBytes = Number.POSITIVE_INFINITY, overloaded = defaultOverloaded } = options;
  const readHeaders = options.headersOf ?? headersOf;
  const isOwn = options.isEndpoint ?? isEndpoint;
  const reader = createBodyReader(maxBufferedBytes);
  const discard = createBodyDiscarder();

  /**
   * Answers before the body has arrived. Closes the connection when the client has sent the body, or after
   * `refusedBodyMs`.
   */
  function refuseBody(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    request.pause();
    const answering = setTimeout(() => {
      writeHead(response, reply, allowedOrigins, { connection: "close" });
      for (const piece of reply.body ?? []) response.write(piece);
      discard(request);
    }, refusalDelayMs);
    const closing = setTimeout(() => request.destroy(), refusedBodyMs);
    request.on("close", () => {
      clearTimeout(answering);
      clearTimeout(closing);
    });
    request.on("end", () => response.end());
  }

  /** Sends a refusal that does not depend on the body. */
  function refuse(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    if (declaredBytes(request) > smallBodyBytes || request.headers["transfer-encoding"] !== undefined)
      refuseBody(request, response, reply);
    // `node:http` reads a small body to its end and keeps the connection for the next request.
    else write(response, reply, allowedOrigins);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admission = await handler.admit(readHeaders(request));
    if (request.destroyed) return; // the client has disconnected, and the event "close" would not come again
    if (declaredBytes(request) > admission.maxBodyBytes) return refuseBody(request, response, admission.tooLarge);
    const body = await reader.read(request, admission.maxBodyBytes);
    if (body === "closed") return;
    if (body === "too large") return refuseBody(request, response, admission.tooLarge);
    if (body === "overloaded") return refuseBody(request, response, errorReply(overloaded));
    const disconnected = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) disconnected.abort(new Error("the client disconnected"));
    });
    try {
      const reply = await admission.answer(body.bytes, disconnected.signal);
      if (!response.destroyed) write(response, reply, allowedOrigins);
    } finally {
      body.release();
    }
  }

  return (request, response) => {
    // A disconnect of the client emits an error event, which would crash the process without a listener.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (!isOwn(request.url ?? "")) return fallback(request, response);
    const early = replyByHead(request.method ?? "", request.headers["content-type"]);
    if (early !== undefined) return refuse(request, response, early);
    answer(request, response).catch((error) => closeConnection(response, error));
  };
}

/** Returns the size of the body that the client has announced; 0 without one. */
function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}
