import { once } from "node:events";
import { createServer } from "node:http";
import { test as base, expect, type Page } from "@playwright/test";
import { createLedger, type MockServer } from "@quern/mock-server";
import { mockFixture } from "@quern/mock-server/playwright";

const ledger = createLedger();
const route = "https://quern.example/v1.0";
const test = base.extend<{ mock: MockServer }>({ mock: mockFixture({ route, ledger, apiKey: "any-text" }) });

/** Calls a method from a page, and returns the answer as the page gets it. */
const call = (page: Page, url: string, method: string, params: object = {}) =>
  page.evaluate(
    async ([endpoint = "", body = ""]) => {
      const headers = { "content-type": "application/json", "x-api-key": "any-text" };
      try {
        const response = await fetch(endpoint, { method: "POST", headers, body });
        return { status: response.status, reply: await response.json().catch(() => null) };
      } catch (error) {
        return { failure: String(error) };
      }
    },
    [`${url}/json-rpc`, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] })],
  );

// Application, on another origin than the service.
const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<p>cars"));
test.beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
test.afterAll(() => server.close());
test.beforeEach(async ({ page }) => {
  const address = server.address();
  await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`);
});

test.describe("good", () => {
  for (const place of ["route", "address"])
    test(`a page reaches the mock by its ${place}`, async ({ page, mock }) => {
      const url = place === "route" ? route : mock.url;
      mock.when("select name from cars").rows([{ name: "fiat 128" }]);
      const created = await call(page, url, "createQueryRun", { sql: "select name from cars" });
      const queryRunId = created.reply.result.queryRun.id;
      await call(page, url, "getQueryRun", { queryRunId });
      const { reply } = await call(page, url, "getQueryRunResults", { queryRunId });
      expect(reply.result.rows).toEqual([["fiat 128"]]);
      mock.history.expectCalled("createQueryRun", { sql: "select name from cars" }, { times: 1 });
      expect(ledger.ledger().sessions.at(-1)).toMatchObject({ test: `good > a page reaches the mock by its ${place}` });
    });

  test("faults reach the page", async ({ page, mock }) => {
    mock.fault("listQueryRuns", { status: 503 });
    mock.fault("listQueryRuns", { on: 2, connection: "reset" });
    expect(await call(page, route, "listQueryRuns")).toMatchObject({ status: 503 });
    expect(await call(page, route, "listQueryRuns")).toEqual({ failure: "TypeError: Failed to fetch" });
    expect(await call(page, `${route}/`, "listQueryRuns")).toMatchObject({ status: 200 });
    expect(mock.history.calls.length).toBe(3);
  });
});

test("bad statement", async ({ page, mock }) => {
  mock.when("select 1").rows([]);
  await call(page, route, "createQueryRun", { sql: "select 2" });
});

test("bad fault", ({ mock }) => void mock.fault("listQueryRuns", { status: 503 }));
