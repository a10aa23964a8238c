import type { Fetch, Transport } from "./transport.ts";

/** A transport over any `fetch`. Redirects are not followed: they would carry the key to another host. */
export function fetchTransport(fetch: Fetch): Transport {
  return async ({ url, headers, body, signal, keepalive = false, credentials }) => {
    const response = await fetch(url, {
      ...{ method: "POST", redirect: "manual", headers: { ...headers }, body, signal, keepalive },
      // Some workers refuse the member itself.
      ...(credentials && { credentials }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** The platform's own `fetch`, looked up at each call so that a page may replace it. */
export function createTransport(): Transport {
  return fetchTransport((url, init) => globalThis.fetch(url, init));
}

/** Resolves once what was asked for is on its way: at once, `fetch` sends beside the page. */
export async function departure(): Promise<void> {}
