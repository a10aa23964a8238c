import type { MockNamespace } from "./namespace/mock-namespace.ts";
import { escaped, linkPattern, mockPath } from "./wire/addresses.ts";

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
    return fetch(`${mockUrl}${mockPath(request.url)}`, {
      method,
      headers,
      signal,
      ...(body.length > 0 ? { body } : {}),
    });
  }

  // MSW answers a rejection with status 500; `Response.error()` is a network error.
  return [http.all(addressesOf(url), ({ request }) => answer(request).catch(() => Response.error()))];
}

/** Returns the pattern of the endpoint and of the links to files. It allows two slashes, for a base URL with a slash at its end. */
function addressesOf(url: string): RegExp {
  // Requests have normalized URLs: the host in lower case, without a default port.
  const { href, origin } = new URL(`${url.replace(/\/+$/, "")}/json-rpc`, pageUrl());
  const base = escaped(href.replace(/\/json-rpc$/, ""));
  // A link is an absolute path, so it lies at the root of the host.
  return new RegExp(`^(?:${base}\\/{1,2}json-rpc|${escaped(origin)}${linkPattern})$`);
}

/** Returns the URL of the web page; undefined outside of browsers. */
function pageUrl(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } }; // Node has neither the global nor its type
  return location?.href;
}
