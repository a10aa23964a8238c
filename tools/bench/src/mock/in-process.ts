import { createMockServer } from "@quern/mock-server";
import { mswHandlers } from "@quern/mock-server/msw";
import { http } from "msw";
import { setupServer } from "msw/node";
import { bounded, median } from "../measure.ts";

const ROUNDS = 9;
const CALLS = 10_000;

type Fetch = (url: string, init: RequestInit & { readonly body: string }) => Promise<Response>;

/** Measures a mock in the process of a test: a poll by its `fetch` and by MSW, and the creation of a namespace. */
export async function inProcess(): Promise<void> {
  const mock = createMockServer();
  const url = "https://mock.example";
  const headers = { "content-type": "application/json", "x-api-key": mock.apiKey };
  const call = async (fetch: Fetch, base: string, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    return (await (await fetch(`${base}/json-rpc`, { method: "POST", headers, body })).json()).result;
  };
  const { queryRun } = await call(mock.fetch, mock.url, "createQueryRun", { sql: "select 1", waitSeconds: 1 });
  const result = { queryRun, redirectedToQueryRun: null };
  const answer = (text: string): Response => {
    const { id } = JSON.parse(text);
    return new Response(JSON.stringify({ jsonrpc: "2.0", id, result }), {
      headers: { "content-type": "application/json" },
    });
  };
  const least: Fetch = async (_, { body }) => answer(body);
  const withRequest: Fetch = async (to, init) => answer(await new Request(to, init).text());

  const poll = (fetch: Fetch, base = mock.url) => call(fetch, base, "getQueryRun", { queryRunId: queryRun.id });
  const [injected, bare, bareRequest] = await usEach(CALLS, [
    () => poll(mock.fetch),
    () => poll(least),
    () => poll(withRequest),
  ]);
  const other = "https://other.example";
  const constant = http.post(`${other}/json-rpc`, async ({ request }) => answer(await request.text()));
  const msw = setupServer(...mswHandlers(http, mock, url), constant);
  msw.listen();
  const [intercepted, mswAlone] = await usEach(CALLS / 100, [
    () => poll(globalThis.fetch, url),
    () => poll(globalThis.fetch, other),
  ]);
  msw.close();
  const [namespace] = await usEach(CALLS, [async () => mock.namespace().dispose()]);
  const us = (figure = Number.NaN): string => figure.toFixed(1);
  console.log("in the process, processor time a poll:");
  console.log(`  the mock's fetch ${us(injected)} µs; a function that returns a constant \`Response\` ${us(bare)} µs,`);
  console.log(
    `  one that also reads a \`Request\` ${us(bareRequest)} µs; the mock by msw 3 ${us(intercepted)} µs, msw alone ${us(mswAlone)} µs`,
  );
  bounded({ what: "a poll by the mock's fetch", value: injected ?? Number.NaN, atMost: 15, unit: " µs" });
  bounded({ what: "a namespace", value: namespace ?? Number.NaN, atMost: 50, unit: " µs" });
}

/**
 * Returns the median processor time of each function, in microseconds. The functions run alternately, and the first round
 * warms up.
 */
async function usEach(times: number, works: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const figures = works.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, work] of works.entries()) {
      const before = process.cpuUsage();
      for (let left = times; left > 0; left -= 1) await work();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) figures[at]?.push((user + system) / times);
    }
  }
  return figures.map(median);
}
