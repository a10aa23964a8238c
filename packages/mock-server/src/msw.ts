import type { MockNamespace } from "./namespace/handle.ts";

/** Part of `http` of the package `msw`, 2 or 3, that is used. */
export interface MswHttp<MswHandler> {
  all(path: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): MswHandler;
}

/**
 * Handlers for MSW by which the mock, with all its namespaces, stands where a service would be: `setupServer(...mswHandlers(http, mock,
 * "https://warehouse.example"))`.
 * @param url The base URL that the code under test calls; in a page it may be relative.
 * @throws TypeError where that is no URL.
 */
export function mswHandlers<MswHandler>(
  http: MswHttp<MswHandler>,
  { fetch, url: ours }: Pick<MockNamespace, "fetch" | "url">,
  url: string,
): MswHandler[] {
  async function answer(request: Request): Promise<Response> {
    const { method, headers, signal } = request;
    const body = new Uint8Array(await request.arrayBuffer());
    // The code under test may be on a path of its host, which the mock is not.
    return fetch(`${ours}/json-rpc`, { method, headers, signal, ...(body.length > 0 ? { body } : {}) });
  }

  // A rejection would be an answer with status 500; this is a connection that ends.
  return [http.all(endpointOf(url), ({ request }) => answer(request).catch(() => Response.error()))];
}

/** Matches the endpoint, with one slash or, as behind a base URL that ends with one, with two. */
function endpointOf(url: string): RegExp {
  // Requests tell their URL as it is resolved, in lower case and without a port that goes without saying.
  const { href } = new URL(`${url.replace(/\/+$/, "")}/json-rpc`, pageUrl());
  const base = href.replace(/\/json-rpc$/, "").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`^${base}\\/{1,2}json-rpc$`);
}

/** Of the page that this runs in; undefined elsewhere. */
function pageUrl(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } }; // Node has none, and no type for it
  return location?.href;
}
