import type { MockNamespace } from "./mock-namespace.ts";

/** What is used of `http` of the package `msw`, 2 or 3. */
export interface MswHttp<MswHandler> {
  all(path: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): MswHandler;
}

/**
 * Handlers for MSW by which the mock, with all its namespaces, stands where a service would be: `setupServer(...mswHandlers(http, mock,
 * "https://warehouse.example"))`.
 * @param url The base URL that the code under test calls.
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
  const base = url.replace(/\/+$/, "").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`^${base}\\/{1,2}json-rpc$`);
}
