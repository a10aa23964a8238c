import type { MockNamespace } from "./namespace/mock-namespace.ts";

/** Part of `http` of the package `msw`, version 2 or 3. */
export interface MswHttp<MswHandler> {
  all(path: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): MswHandler;
}

/**
 * Creates MSW handlers that answer a base URL by a mock with all its namespaces:
 * `setupServer(...mswHandlers(http, mock, "https://warehouse.example"))`.
 * @param url Base URL that the code under test calls; in a browser it may be relative to the web page.
 * @throws TypeError for an invalid URL.
 */
export function mswHandlers<MswHandler>(
  http: MswHttp<MswHandler>,
  { fetch, url: mockUrl }: Pick<MockNamespace, "fetch" | "url">,
  url: string,
): MswHandler[] {
  async function answer(request: Request): Promise<Response> {
    const { method, headers, signal } = request;
    const body = new Uint8Array(await request.arrayBuffer());
    // The base URL of the code under test may have another path than that of the mock.
    const { pathname } = new URL(request.url);
    const path = pathname.endsWith("/json-rpc") ? "/json-rpc" : pathname;
    return fetch(`${mockUrl}${path}`, { method, headers, signal, ...(body.length > 0 ? { body } : {}) });
  }

  // MSW answers a rejection with status 500; `Response.error()` is a network error.
  return [http.all(addressesOf(url), ({ request }) => answer(request).catch(() => Response.error()))];
}

/** Returns the pattern of the endpoint and of the links to files. It allows two slashes, for a base URL with a slash at its end. */
function addressesOf(url: string): RegExp {
  // Requests have normalized URLs: the host in lower case, without a default port.
  const { href, origin } = new URL(`${url.replace(/\/+$/, "")}/json-rpc`, pageUrl());
  const base = escaped(href.replace(/\/json-rpc$/, ""));
  // A link is an absolute path, so it lies at the root of the host. Its UUID tells it from pages of the application.
  return new RegExp(`^(?:${base}\\/{1,2}json-rpc|${escaped(origin)}\\/results\\/[0-9a-f-]{36})$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Returns the URL of the web page; undefined outside of browsers. */
function pageUrl(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } }; // Node has neither the global nor its type
  return location?.href;
}
