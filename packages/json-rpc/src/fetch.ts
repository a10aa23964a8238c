import { byteLength, joined } from "./bytes.ts";
import type { Handler, Piece, Reply, RequestHeaders } from "./handler.ts";
import { corsHeaders, isEndpoint, notFound, replyByHead } from "./http.ts";

/** Options of `createFetch`. */
export interface FetchOptions {
  /**
   * Answers requests to other paths than `/json-rpc`.
   * @default HTTP 404
   */
  readonly fallback?: (request: Request) => Response | Promise<Response>;
}

/** Function with the signature of `fetch`. */
export type Fetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>;

/**
 * Members of a request that the handler needs. They are read from the arguments of `fetch` if possible: with a `Request`,
 * a poll of a mock would take almost three times the processor time.
 */
interface Incoming {
  readonly path: string;
  readonly verb: string;
  readonly headers: RequestHeaders;
  readonly body: Piece | ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal | undefined;
}

const utf8 = new TextEncoder();

/** Cache of the last parsed URL: a caller repeats its URL. */
let last = { url: "", path: "" };

function pathOf(url: string): string {
  if (url !== last.url) {
    const { pathname, search } = new URL(url);
    last = { url, path: pathname + search };
  }
  return last.path;
}

/**
 * Characters that may not survive UTF-8: a lone surrogate is replaced, and a byte order mark at the start is dropped.
 */
const altered = /[\ud800-\udfff\ufeff]/;

/**
 * Reads a call without a `Request`. Returns undefined unless the call has headers and its body is a string or bytes: a
 * `Request` encodes any other body and adds its content type.
 */
function simpleRequest(input: URL | string, init: RequestInit): Incoming | undefined {
  const { body } = init;
  if (!(typeof body === "string" || body instanceof Uint8Array) || !init.headers) return undefined;
  return {
    path: pathOf(String(input)),
    verb: (init.method ?? "GET").toUpperCase(),
    headers: headersOf(init.headers),
    body: typeof body === "string" && altered.test(body) ? utf8.encode(body) : body,
    signal: init.signal ?? undefined,
  };
}

function fullRequest(request: Request): Incoming {
  return {
    path: pathOf(request.url),
    verb: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
  };
}

function isLonger(body: Piece, maxBytes: number): boolean {
  // A UTF-16 unit takes at most three bytes of UTF-8, so most bodies need not be measured.
  return typeof body === "string" && 3 * body.length <= maxBytes ? false : byteLength([body]) > maxBytes;
}

/** Reads a whole body; returns undefined if it is larger than allowed. */
async function readBody(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // An early end of the loop cancels the stream.
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Yields the pieces of the body, then the chunks of the stream. */
async function* chunksOf(body: Reply["body"], stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const piece of body ?? []) yield typeof piece === "string" ? utf8.encode(piece) : piece;
  yield* stream;
}

function readable(pieces: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function responseOf(reply: Reply, hasOrigin: boolean): Response {
  const { status, body, stream } = reply;
  // Performance: CORS headers are added only for requests with an origin, which browsers send.
  const init = { status, headers: hasOrigin ? { ...corsHeaders, ...reply.headers } : reply.headers };
  if (stream !== undefined) return new Response(readable(chunksOf(body, stream)), init);
  // The type of `Piece` also allows bytes in shared memory, but there are none.
  const [first = null, ...more] = joined(body ?? []) as readonly (string | Uint8Array<ArrayBuffer>)[];
  const whole = first === null || more.length === 0 ? first : new Blob([first, ...more]);
  return new Response(whole, init);
}

/** Returns a promise of the work that rejects when the signal is aborted. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/**
 * Makes a `fetch` function that the handler answers without a network: for tests, and as the `fetch` export of edge
 * runtimes.
 */
export function createFetch(handler: Handler, options: FetchOptions = {}): Fetch {
  const { fallback } = options;

  async function replyTo({ verb, headers, body, signal }: Incoming): Promise<Reply> {
    const early = replyByHead(verb, headers.get("content-type"));
    if (early !== undefined) return early;
    const { maxBodyBytes, tooLarge, answer } = await handler.admit(headers);
    const bytes = body instanceof ReadableStream ? await readBody(body, maxBodyBytes) : (body ?? "");
    return bytes === undefined || isLonger(bytes, maxBodyBytes) ? tooLarge : answer(bytes, signal);
  }

  async function respond(incoming: Incoming, asRequest: () => Request): Promise<Response> {
    const isForHandler = isEndpoint(incoming.path);
    if (!isForHandler && fallback !== undefined) return fallback(asRequest());
    const reply = isForHandler ? await replyTo(incoming) : notFound;
    // Browsers send the header `origin`; other clients have no use for CORS headers.
    return responseOf(reply, incoming.headers.get("origin") !== null);
  }

  return async (input, init = {}) => {
    const simple = input instanceof Request ? undefined : simpleRequest(input, init);
    // The request is created once, because its body can be read only once.
    let request: Request | undefined;
    const asRequest = (): Request => {
      request ??= new Request(input, init);
      return request;
    };
    const incoming = simple ?? fullRequest(asRequest());
    const { signal } = incoming;
    signal?.throwIfAborted();
    const response = respond(incoming, asRequest);
    return signal === undefined ? response : unlessAborted(signal, response);
  };
}

/** Names and values that `Headers` accepts unchanged. */
const plainName = /^[\w-]+$/;
const plainValue = /^[!-~]+(?: [!-~]+)*$/;

/** Returns the headers of a call of `fetch`. A plain object is read directly, because that is faster than `Headers`. */
export function headersOf(init: NonNullable<RequestInit["headers"]>): RequestHeaders {
  if (init instanceof Headers) return init;
  if (Symbol.iterator in init) return new Headers(init);
  const byName = new Map<string, string>();
  for (const [name, value] of Object.entries(init)) {
    const key = name.toLowerCase();
    const isPlain = typeof value === "string" && plainName.test(key) && plainValue.test(value);
    if (!isPlain || byName.has(key)) return new Headers(init);
    byName.set(key, value);
  }
  return { get: (name) => byName.get(name.toLowerCase()) ?? null };
}
