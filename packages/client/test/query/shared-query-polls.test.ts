import { expect, it, onTestFinished, vi } from "vitest";
import { createClient, type SharedQuery, shareQuery } from "../../src/index.ts";
import { each, patience, startServer } from "../support/scripted-server.ts";

/** Polls of one HTTP request, each with the prefix `long` if the service may hold its answer. */
type Poll = readonly string[];

/**
 * Starts queries on a service that answers short polls with the current states of the runs, and holds long polls until
 * the test ends.
 * @param count Number of queries, whose runs are called `0`, `1` and so on.
 */
async function startQueries(count: number) {
  const states = new Map<string, string>();
  const polls: Poll[] = [];
  const ended = new AbortController();
  const held = new Promise((resolve) => ended.signal.addEventListener("abort", resolve));
  const server = await startServer(async (exchange) => {
    const polled = exchange.calls
      .filter(({ method }) => method === "getQueryRun")
      .map(({ params: [params] }) => params);
    const isLong = polled.some((params) => "waitSeconds" in params);
    if (polled.length > 0) polls.push(polled.map(({ queryRunId }) => `${isLong ? "long " : ""}${queryRunId}`));
    if (isLong) await held;
    return each(({ method, params: [params] }) => {
      const id = String(params[method === "createQueryRun" ? "sql" : "queryRunId"]);
      const queryRun = { id, state: `QUERY_STATE_${states.get(id) ?? "READY"}` };
      if (method === "createQueryRun") return { result: { queryRequest: { id, queryRunId: id }, queryRun } };
      if (method === "getQueryRun") return { result: { queryRun } };
      return { result: { columnNames: ["n"], columnTypes: ["number"], rows: [[1]] } };
    })(exchange);
  });
  onTestFinished(async () => {
    ended.abort();
    await server[Symbol.asyncDispose]();
  });
  const client = createClient({ url: server.url, apiKey: "k" });
  const caller = new AbortController();
  onTestFinished(() => caller.abort());
  const queries = Array.from({ length: count }, (_, at): SharedQuery => {
    const query = shareQuery(client, { sql: String(at) }, { onChange: () => {} });
    query.join(caller.signal).catch(() => {});
    return query;
  });
  await vi.waitFor(() => expect(queries.every(({ started }) => started)).toBe(true), patience);
  const phases = () => queries.map(({ phase }) => phase).join();
  return { states, polls, queries, phases };
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => String(at));

it("polls queued runs in one request, without a long poll, until they execute", async () => {
  const { states, polls, queries, phases } = await startQueries(20);
  for (const query of queries) query.follow();
  await vi.waitFor(() => expect(polls.length).toBeGreaterThan(2), patience);
  expect(phases()).toBe(Array(20).fill("queued").join());
  for (const id of ids(20)) states.set(id, "RUNNING");
  await vi.waitFor(() => expect(phases()).toBe(Array(20).fill("running").join()), patience);
  await vi.waitFor(() => expect(polls.at(-1)?.[0]).toMatch(/^long/), patience);
  for (const poll of polls) expect(poll.map((id) => id.replace("long ", "")).sort()).toEqual(ids(20).sort());
  expect(polls.filter(([first]) => first?.startsWith("long"))).toHaveLength(2);
});

it("ends the long poll of a queued run that is followed later, and not that of a run that executes", async () => {
  const { states, polls, queries, phases } = await startQueries(2);
  await vi.waitFor(() => expect(polls).toEqual([["long 0", "long 1"]]), patience);
  queries[1]?.follow();
  await vi.waitFor(() => expect(polls.at(-1)).toEqual(["1"]), patience);
  expect(phases()).toBe("queued,queued");
  states.set("1", "RUNNING");
  await vi.waitFor(() => expect([phases(), polls.at(-1)]).toEqual(["queued,running", ["long 1"]]), patience);
});
