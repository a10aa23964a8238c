import type { Download, Fetch, FileBytes, HttpReply, Transport } from "./transport.ts";

/** Makes a transport that sends with `fetch`. It does not follow redirects, which could send the key to another host. */
export function fetchTransport(fetch: Fetch): Transport {
  return async ({ url, headers, body, signal, keepalive = false, credentials }) => {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { ...headers },
      body,
      signal,
      keepalive,
      // Some runtimes for workers throw if `credentials` exists.
      ...(credentials && { credentials }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** Makes a transport that sends with `globalThis.fetch`, read at each call so that a page may replace it. */
export function createTransport(): Transport {
  return fetchTransport((url, init) => globalThis.fetch(url, init));
}

/** Sends a GET request with `fetch`. An abort ends the response, too. */
export async function download(
  url: string,
  signal: AbortSignal,
  fetch: Fetch | undefined = globalThis.fetch,
): Promise<Download> {
  // The type of the option `fetch` has what the calls need alone; a function without streams throws here or below.
  const { status, headers, body } = await (fetch as typeof globalThis.fetch)(url, { signal });
  const reader = body?.getReader();
  if (!reader) throw new TypeError("the response has no stream");
  return { status, headers, read: () => reader.read() };
}

/** Sends a file in a PUT request with `fetch`. Browsers send no streams over HTTP/1.1, so parts are joined first. */
export async function sendFile(
  url: string,
  file: FileBytes,
  signal: AbortSignal,
  fetch: Fetch | undefined = globalThis.fetch,
): Promise<HttpReply> {
  const body = file instanceof Blob || file instanceof Uint8Array ? file : new Blob(await partsOf(file));
  // The type of the option `fetch` has what the calls need alone.
  const response = await (fetch as typeof globalThis.fetch)(url, { method: "PUT", body: body as BodyInit, signal });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Reads a stream by its reader, because not all browsers iterate over streams. */
async function partsOf(file: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>): Promise<BlobPart[]> {
  const parts: BlobPart[] = [];
  if (!("getReader" in file)) {
    for await (const part of file) parts.push(part as BlobPart);
    return parts;
  }
  const reader = file.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    parts.push(value as BlobPart);
  }
}

/** Returns an idempotency key. Without `crypto`, as in some test environments, it is unique, but can be guessed. */
export function uniqueKey(): string {
  const { crypto } = globalThis;
  return (crypto?.getRandomValues(new Uint32Array(4)) ?? Array.from({ length: 4 }, Math.random)).join("-");
}

/** Resolves when the requests made so far are being sent: immediately, because `fetch` does not need the event loop of the page. */
export async function requestsSent(): Promise<void> {}
