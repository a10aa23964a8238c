import type { QueryRun } from "@quern/protocol/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Rows } from "../../../mcp/test/agent.ts";
import { createTestClient, startServer, type TestServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";
import { connectAgent } from "./agents.ts";

const rows = 1_000_000;
/** For loaded machines. */
const patience = { timeout: 60_000 };
const slow = "select count(*) as n from range(1000000) a, range(1000000) b where (a.range * b.range) % 7 = 3";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ mcp: true });
});
afterAll(() => server[Symbol.asyncDispose]());

const runsOf = async (key?: string) =>
  (await createTestClient(server.url, key).call<{ queryRuns: QueryRun[] }>("listQueryRuns", {})).queryRuns;

it("walks through a million rows by nextOffset, each once, with one run", async () => {
  const { key } = await caller(server, { tenant: "walker" });
  const { output } = await connectAgent(server.url, key);
  let page = await output("query", { sql: `select range as n from range(${rows})`, limit: 1_000 });
  let next = 0;
  for (;;) {
    expect(page).toMatchObject({ offset: next, totalRows: rows, state: "success" });
    for (const [n] of page.rows) if (n !== next++) expect.unreachable(`row ${next - 1} is ${n}`);
    if (page.nextOffset === null) break;
    expect(page).toMatchObject({ truncatedBy: "limit", nextOffset: next });
    page = await output("read_rows", { runId: page.runId, offset: page.nextOffset, limit: 1_000 });
  }
  expect([next, page.truncatedBy]).toEqual([rows, null]);
  expect(await runsOf(key)).toHaveLength(1);
});

describe("a statement that takes long", () => {
  it("is running after the default wait, before the time-out of clients, with progress that increases", async () => {
    const { call, output, failure } = await connectAgent(server.url);
    const seen: number[] = [];
    // The client of the SDK gives up after 60 seconds.
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
    const { structuredContent } = await call("query", { sql: slow }, { onprogress });
    expect(structuredContent).toMatchObject({ state: "running", rows: [], totalRows: null });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    const { runId } = structuredContent as unknown as Rows;
    expect(await output("cancel_query", { runId })).toMatchObject({ runId });
    expect(await failure("read_rows", { runId })).toMatch(/^QueryRunCanceled: /);
  });

  it("is completed by read_rows", async () => {
    const { output } = await connectAgent(server.url);
    const sql = "select count(*) as n from range(15000) a, range(15000) b where (a.range * b.range) % 7 = 3";
    const { runId, state } = await output("query", { sql, waitSeconds: 0 });
    expect(["queued", "running"]).toContain(state);
    let read = await output("read_rows", { runId, waitSeconds: 1 });
    while (read.state === "running") read = await output("read_rows", { runId, waitSeconds: 1 });
    expect(read).toMatchObject({ runId, state: "success", rows: [[expect.any(Number)]], totalRows: 1 });
  });
});

it.each(["legacy", "modern"] as const)(
  "a disconnect of the %s era cancels a run of its own, and none that another user shares",
  async (era) => {
    const ann = await caller(server, { tenant: "acme", user: `ann-${era}` });
    const bob = await caller(server, { tenant: "acme", user: `bob-${era}` });
    const agents = {
      ann: await connectAgent(server.url, ann.key, era),
      bob: await connectAgent(server.url, bob.key, era),
    };
    const sql = `${slow} -- ${era}`;
    const first = agents.ann.call("query", { sql }).catch(() => "closed");
    await expect.poll(() => runsOf(ann.key), patience).toMatchObject([{ state: "QUERY_STATE_RUNNING" }]);
    const second = agents.bob.call("query", { sql, maxAgeMinutes: 5 }).catch(() => "closed");
    await expect.poll(() => runsOf(bob.key), patience).toHaveLength(1);
    const [run] = await runsOf(bob.key);
    expect((await runsOf(ann.key))[0]?.id).toBe(run?.id);

    await agents.ann.client.close();
    await first;
    // By the end of this read, the other call does not wait for the creation of the run any more: it polls.
    await agents.bob.output("read_rows", { runId: run?.id, waitSeconds: 6 });
    expect((await runsOf(bob.key))[0]).toMatchObject({ endedAt: null });

    const left = performance.now();
    await agents.bob.client.close();
    await second;
    await expect.poll(() => runsOf(bob.key), patience).toMatchObject([{ state: "QUERY_STATE_CANCELED" }]);
    console.log(`canceled ${Math.round(performance.now() - left)} ms after the disconnect`);
  },
);
