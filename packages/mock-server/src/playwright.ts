import { createTestMock, type FixtureOptions } from "./fixtures/test-mock.ts";
import { listen } from "./listen.ts";
import type { MockServer } from "./mock-server.ts";
import type { MockNamespace } from "./namespace/mock-namespace.ts";
import { escaped, linkPattern, mockPath } from "./wire/addresses.ts";

/** Part of Playwright's `Request`. */
export interface RoutedRequest {
  url(): string;
  method(): string;
  allHeaders(): Promise<Record<string, string>>;
  postDataBuffer(): Uint8Array | null;
}

/** Part of Playwright's `Route`. */
export interface Route {
  request(): RoutedRequest;
  fulfill(response: { status: number; headers: Record<string, string>; body: Buffer }): Promise<void>;
  abort(errorCode: string): Promise<void>;
}

/** Playwright's `Page`, or a `BrowserContext` with all its pages. */
export interface Routable {
  route(url: RegExp, handler: (route: Route) => Promise<void>): Promise<unknown>;
}

export interface PageFixtureOptions extends FixtureOptions {
  /**
   * Base URL that the page calls, which the mock answers: absolute, such as `https://quern.example`, or a path on any host,
   * such as `/api`.
   * @default none; point the application at `mock.url`
   */
  readonly route?: string;
}

/**
 * Routes the requests of a page to a mock with all its namespaces: `await routeToMock(page, mock, "https://quern.example")`. A request whose
 * connection a fault ends is aborted.
 * @param url Base URL that the page calls: absolute, or a path on any host.
 */
export async function routeToMock(
  page: Routable,
  mock: Pick<MockNamespace, "fetch" | "url">,
  url: string,
): Promise<void> {
  await page.route(addressesOf(url), async (route) => {
    const request = route.request();
    const answer = await answerOf(request, `${mock.url}${mockPath(request.url())}`, mock.fetch).catch(() => undefined);
    // `abort` and `fulfill` reject if the web page was closed while the call waited.
    if (answer === undefined) await route.abort("connectionreset").catch(() => undefined);
    else await route.fulfill(answer).catch(() => undefined);
  });
}

async function answerOf(request: RoutedRequest, address: string, fetch: MockNamespace["fetch"]) {
  const { host: _, "content-length": __, ...headers } = await request.allHeaders();
  const body = request.postDataBuffer();
  const sent = { method: request.method(), headers, ...(body === null ? {} : { body: new Uint8Array(body) }) };
  const response = await fetch(address, sent);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
}

/** Returns the pattern of the endpoint, and of the links to files, of an absolute base URL, or of a path on any host. */
function addressesOf(url: string): RegExp {
  const { origin, pathname } = new URL(`${url.replace(/\/+$/, "")}/json-rpc`, "http://any.invalid");
  const path = escaped(pathname.replace(/\/json-rpc$/, ""));
  const host = /^https?:/i.test(url) ? escaped(origin) : "https?:\\/\\/[^/]+";
  return new RegExp(`^${host}(?:${path}\\/{1,2}json-rpc|${linkPattern})$`);
}

/** Part of Playwright's `TestInfo`. */
export interface TestInfo {
  readonly titlePath: readonly string[];
}

/**
 * Creates a fixture for `@playwright/test` with a mock for each test that uses it, which is strict unless the options
 * say otherwise: `const test = base.extend<{ mock: MockServer }>({ mock: mockFixture({ route }) })`. The mock listens
 * at `mock.url`, and answers the test's pages at `route`. A test fails for unexpected calls, unused faults, and errors
 * of the mock itself.
 */
export function mockFixture({ route, ...options }: PageFixtureOptions = {}) {
  // Playwright reads the required fixtures from the destructuring pattern.
  return async (
    { context }: { readonly context: Routable },
    use: (mock: MockServer) => Promise<void>,
    { titlePath }: TestInfo,
  ): Promise<void> => {
    const { mock, finish } = createTestMock(options, titlePath.slice(1).join(" > "));
    const { url, close } = await listen(mock);
    try {
      if (route !== undefined) await routeToMock(context, mock, route);
      await use({ ...mock, url });
    } finally {
      await close();
    }
    finish();
  };
}
