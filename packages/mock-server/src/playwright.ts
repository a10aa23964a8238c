import { type FixtureOptions, watchedMock } from "./fixtures/watched-mock.ts";
import { listen } from "./listen.ts";
import type { MockServer } from "./mock-server.ts";
import type { MockNamespace } from "./namespace/handle.ts";

/** Parts of a request of Playwright that are used. */
export interface RoutedRequest {
  url(): string;
  method(): string;
  allHeaders(): Promise<Record<string, string>>;
  postDataBuffer(): Uint8Array | null;
}

/** Parts of a route of Playwright that are used. */
export interface Route {
  request(): RoutedRequest;
  fulfill(response: { status: number; headers: Record<string, string>; body: Buffer }): Promise<void>;
  abort(errorCode: string): Promise<void>;
}

/** A page of Playwright, or a context with all its pages. */
export interface Routable {
  route(url: RegExp, handler: (route: Route) => Promise<void>): Promise<unknown>;
}

export interface PageFixtureOptions extends FixtureOptions {
  /**
   * The base URL that the page calls: absolute, such as `https://quern.example`, or a path of the page's own host, such as `/api`.
   * Its requests are answered by the mock.
   * @default none: point the application at `mock.url`
   */
  readonly route?: string;
}

/**
 * Answers the requests of a page to a base URL by the mock, with all its namespaces: `await routeToMock(page, mock, "https://quern.example")`.
 * A connection that a fault ends is aborted.
 * @param url Absolute, or a path of the page's own host.
 */
export async function routeToMock(
  page: Routable,
  mock: Pick<MockNamespace, "fetch" | "url">,
  url: string,
): Promise<void> {
  await page.route(endpointOf(url), async (route) => {
    const answer = await answerOf(route.request(), mock).catch(() => undefined);
    // The page may have been closed while the mock held the call.
    if (answer === undefined) await route.abort("connectionreset").catch(() => undefined);
    else await route.fulfill(answer).catch(() => undefined);
  });
}

async function answerOf(request: RoutedRequest, { fetch, url }: Pick<MockNamespace, "fetch" | "url">) {
  const { host: _, "content-length": __, ...headers } = await request.allHeaders();
  const body = request.postDataBuffer();
  const sent = { method: request.method(), headers, ...(body === null ? {} : { body: new Uint8Array(body) }) };
  const response = await fetch(`${url}/json-rpc`, sent);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
}

/** Matches the endpoint of an absolute base URL, or of a path on any host. */
function endpointOf(url: string): RegExp {
  const { origin, pathname } = new URL(`${url.replace(/\/+$/, "")}/json-rpc`, "http://any.invalid");
  const path = escaped(pathname.replace(/\/json-rpc$/, ""));
  const host = /^https?:/i.test(url) ? escaped(origin) : "https?:\\/\\/[^/]+";
  return new RegExp(`^${host}${path}\\/{1,2}json-rpc$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Parts of the information on a test that are used. */
export interface TestInfo {
  readonly titlePath: readonly string[];
}

/**
 * A mock for each test that asks for one, for `@playwright/test`: `const test = base.extend<{ mock: MockServer }>({ mock: mockFixture({ route }) })`.
 * `mock.url` is an address that listens, and pages of the test reach the mock at `route`. A test fails that does more than it has
 * provided for.
 */
export function mockFixture({ route, ...options }: PageFixtureOptions = {}) {
  // Playwright reads from the pattern which fixtures this one needs.
  return async (
    { context }: { readonly context: Routable },
    use: (mock: MockServer) => Promise<void>,
    { titlePath }: TestInfo,
  ): Promise<void> => {
    const { mock, settle } = watchedMock(options, titlePath.slice(1).join(" > "));
    const { url, close } = await listen(mock);
    try {
      if (route !== undefined) await routeToMock(context, mock, route);
      await use({ ...mock, url });
    } finally {
      await close();
    }
    settle();
  };
}
