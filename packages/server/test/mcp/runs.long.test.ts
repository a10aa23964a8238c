import type { QueryRun } from "@quern/protocol/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Rows } from "../../../mcp/test/agent.ts";
import { createTestClient, startServer, type TestServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";
import { connectAgent, connectStdioAgent, type Era } from "./agents.ts";

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
    const started = performance.now();
    const { structuredContent } = await call("query", { sql: slow }, { onprogress });
    expect(performance.now() - started).toBeLessThan(50_000);
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

/**
 * Expects that a run ends as canceled within two seconds after its last caller has left. The times are those of one clock,
 * because the service runs in this process.
 */
async function expectCanceled(key: string, id: string, left: number) {
  const find = async () => (await runsOf(key)).find((run) => run.id === id);
  await expect.poll(find, patience).toMatchObject({ state: "QUERY_STATE_CANCELED" });
  expect(Date.parse((await find())?.endedAt ?? "") - left).toBeLessThan(2_000);
}

/** Waits until a key has a number of runs, the oldest of which is executing, and returns the id of the newest one. */
async function newestRun(key: string, count: number): Promise<string> {
  const oldest = async () => (await runsOf(key))[count - 1];
  await expect.poll(oldest, patience).toMatchObject({ state: "QUERY_STATE_RUNNING" });
  return String((await runsOf(key))[0]?.id);
}

it.each<Era>(["legacy", "modern"])(
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
    const run = await newestRun(ann.key, 1);
    const second = agents.bob.call("query", { sql, maxAgeMinutes: 5 }).catch(() => "closed");
    expect(await newestRun(bob.key, 1)).toBe(run);

    await agents.ann.client.close();
    await first;
    // By the end of this read, the other call does not wait for the creation of the run any more: it polls.
    await agents.bob.output("read_rows", { runId: run, waitSeconds: 6 });
    expect((await runsOf(bob.key))[0]).toMatchObject({ endedAt: null });

    const left = Date.now();
    await agents.bob.client.close();
    await second;
    await expectCanceled(bob.key, run, left);
  },
);

describe.each([
  ["HTTP", connectAgent],
  ["stdio", connectStdioAgent],
])("a call that an agent cancels over %s", (way, connect) => {
  // A client of the modern era closes the stream of the call over HTTP; the others send `notifications/cancelled`.
  it.each<Era>(["legacy", "modern"])(
    "ends its run, and none of another user or of an agent with the same key and ids: %s era",
    async (era) => {
      const name = `${way}-${era}`;
      const ann = await caller(server, { tenant: name, user: "ann" });
      const bob = await caller(server, { tenant: name, user: "bob" });
      const start = async (key: string, sql: string) => {
        const { call, client, output } = await connect(server.url, key, era);
        const controller = new AbortController();
        const args = { sql, maxAgeMinutes: 5 };
        const query = call("query", args, { signal: controller.signal }).catch(() => "canceled");
        const cancel = async () => {
          const left = Date.now();
          controller.abort();
          expect(await query).toBe("canceled");
          return left;
        };
        return { cancel, output, close: () => client.close() };
      };
      const sql = `${slow} -- ${name}`;
      const first = await start(ann.key, sql);
      const shared = await newestRun(ann.key, 1);
      const second = await start(ann.key, `${sql} twin`);
      const own = await newestRun(ann.key, 2);
      const third = await start(bob.key, sql);
      expect(await newestRun(bob.key, 1)).toBe(shared);

      await first.cancel();
      expect(await third.output("read_rows", { runId: shared, waitSeconds: 1 })).toMatchObject({ state: "running" });
      await expectCanceled(bob.key, shared, await third.cancel());
      expect((await runsOf(ann.key))[0]).toMatchObject({ id: own, endedAt: null });
      await expectCanceled(ann.key, own, await second.cancel());
      for (const each of [first, second, third]) await each.close();
    },
  );
});
