import type { Download, Fetch, Transport } from "./transport.ts";

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

/** Resolves when the requests made so far are being sent: immediately, because `fetch` does not need the event loop of the page. */
export async function requestsSent(): Promise<void> {}
