import { byteLength, joined } from "./bytes.ts";
import type { Handler, Piece, Reply, RequestHeaders } from "./handler.ts";
import { bodyTooLarge, corsHeaders, decidedByHead, isEndpoint, notFound } from "./http.ts";

export interface FetchOptions {
  /** Answers what is not for the endpoint. HTTP 404 if left out. */
  readonly fallback?: (request: Request) => Response | Promise<Response>;
}

/** Stands where a `fetch` stands, without a network. */
export type Fetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>;

/** What of a request matters here, read without a `Request` where the arguments already say it. */
interface Incoming {
  readonly path: string;
  readonly verb: string;
  readonly headers: RequestHeaders;
  readonly body: Piece | ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal | undefined;
}

const utf8 = new TextEncoder();

let last = { url: "", path: "" };

function pathOf(url: string): string {
  // Whoever calls, calls again.
  if (url !== last.url) {
    const { pathname, search } = new URL(url);
    last = { url, path: pathname + search };
  }
  return last.path;
}

/** What UTF-8 writes otherwise than the text says, and a mark that readers leave out. */
const altered = /[\ud800-\udfff\ufeff]/;

/** Undefined where the body is of a kind that only a `Request` knows how to send. */
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
  // No character of a text takes more than three bytes.
  return typeof body === "string" && 3 * body.length <= maxBytes ? false : byteLength([body]) > maxBytes;
}

/** Reads a body to its end; undefined where it is larger than allowed. */
async function readBody(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the stream.
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

/** Pieces that are there, then those that come. */
async function* following(body: Reply["body"], stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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

function responseOf(reply: Reply, isOfPage: boolean): Response {
  const { status, body, stream } = reply;
  // Each header has its price.
  const init = { status, headers: isOfPage ? { ...corsHeaders, ...reply.headers } : reply.headers };
  if (stream !== undefined) return new Response(readable(following(body, stream)), init);
  // The bytes are a caller's own result, not shared memory, which their type leaves open.
  const [first = null, ...more] = joined(body ?? []) as readonly (string | Uint8Array<ArrayBuffer>)[];
  const whole = first === null || more.length === 0 ? first : new Blob([first, ...more]);
  return new Response(whole, init);
}

/** The same promise, which ends with the signal. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** A `fetch` that is answered by the handler: for tests, and as the `fetch` export of servers that have one. */
export function createFetch(handler: Handler, options: FetchOptions = {}): Fetch {
  const { fallback } = options;
  const { maxBodyBytes } = handler.limits;

  async function answer({ verb, headers, body, signal }: Incoming): Promise<Reply> {
    const decided = decidedByHead(verb, headers.get("content-type"));
    if (decided !== undefined) return decided;
    const whole = body instanceof ReadableStream ? await readBody(body, maxBodyBytes) : (body ?? "");
    if (whole === undefined || isLonger(whole, maxBodyBytes)) return bodyTooLarge(maxBodyBytes);
    return handler.handle(whole, headers, signal);
  }

  async function respond(incoming: Incoming, asRequest: () => Request): Promise<Response> {
    const isAnswered = isEndpoint(incoming.path);
    if (!isAnswered && fallback !== undefined) return fallback(asRequest());
    const reply = isAnswered ? await answer(incoming) : notFound;
    // Only browsers send an origin.
    return responseOf(reply, incoming.headers.get("origin") !== null);
  }

  return async (input, init = {}) => {
    const simple = input instanceof Request ? undefined : simpleRequest(input, init);
    // A request is made once, since its body can be read once.
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

/** What `Headers` would take as it is. */
const plainName = /^[\w-]+$/;
const plainValue = /^[!-~]+(?: [!-~]+)*$/;

/** Headers as a caller of `fetch` says them. Those of a plain object are read from it, which is five times as fast as `Headers`. */
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
