import type { Handler, Reply, RequestHeaders } from "./handler.ts";
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
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal | undefined;
}

const utf8 = new TextEncoder();

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Undefined where the body is of a kind that only a `Request` knows how to send. */
function simpleRequest(input: URL | string, init: RequestInit): Incoming | undefined {
  const { body } = init;
  const bytes = typeof body === "string" ? utf8.encode(body) : body;
  if (!(bytes instanceof Uint8Array) || !init.headers) return undefined;
  const verb = (init.method ?? "GET").toUpperCase();
  return {
    path: pathOf(String(input)),
    verb,
    headers: new Headers(init.headers),
    body: bytes,
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

/** Reads a body to its end; undefined where it is larger than allowed. */
async function readBody(body: Incoming["body"], maxBytes: number): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  if (body instanceof Uint8Array) return body.length > maxBytes ? undefined : body;
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
async function* joined(body: Reply["body"], stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body ?? [];
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

function responseOf({ status, headers, body, stream }: Reply): Response {
  const init = { status, headers: { ...corsHeaders, ...headers } };
  if (stream !== undefined) return new Response(readable(joined(body, stream)), init);
  // The bytes come from an encoder or from a caller's own result; neither is shared memory, which its type leaves open.
  const [first = null, ...more] = (body ?? []) as readonly Uint8Array<ArrayBuffer>[];
  const whole = first === null || more.length === 0 ? first : new Blob([first, ...more]);
  return new Response(whole, init);
}

/** Rejects with the signal's reason as soon as it is aborted, as a `fetch` does. */
function unlessAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return work();
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

/** A `fetch` that is answered by the handler: for tests, and as the `fetch` export of servers that have one. */
export function createFetch(handler: Handler, options: FetchOptions = {}): Fetch {
  const { fallback } = options;
  const { maxBodyBytes } = handler.limits;

  async function answer(incoming: Incoming): Promise<Reply> {
    const decided = decidedByHead(incoming.verb, incoming.headers.get("content-type"));
    if (decided !== undefined) return decided;
    const body = await readBody(incoming.body, maxBodyBytes);
    return body === undefined ? bodyTooLarge(maxBodyBytes) : handler.handle(body, incoming.headers, incoming.signal);
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
    return unlessAborted(incoming.signal, async () => {
      if (isEndpoint(incoming.path)) return responseOf(await answer(incoming));
      if (fallback === undefined) return responseOf(notFound);
      return fallback(asRequest());
    });
  };
}
