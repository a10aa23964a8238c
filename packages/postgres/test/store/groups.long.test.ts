import type { Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeOnPostgres, execute, openStore } from "./fixture.ts";

const lease = { owner: "server", ms: 60_000 };
const failure = { name: "Failed", message: "failed", data: { category: "USER" as const, retryable: false } };
const result = { columns: [], rowCount: 0, totalBytes: 7 };

await describeOnPostgres("claims and changes that are made at once", (server) => {
  let url: string;
  let store: Store;
  beforeEach(async () => {
    url = await server.createDatabase();
    store = await openStore(url);
  });
  afterEach(() => store.close());

  const times = <T>(count: number, work: (call: number) => T): T[] => Array.from({ length: count }, (_, n) => work(n));

  async function submit(count: number, of: (n: number) => ReturnType<typeof submission>): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) ids.push(accepted(await store.runs.submit(of(n))).run.id);
    return ids;
  }

  async function claim(count: number): Promise<string[]> {
    const claims = await Promise.all(times(count, () => store.runs.claim(lease)));
    return claims.flatMap((claimed) => (claimed === undefined ? [] : [claimed.run.id]));
  }

  /** Returns the number of transactions that were the last to change the runs. */
  async function transactions(ids: readonly string[]): Promise<number> {
    const text = "SELECT count(DISTINCT xmin::text)::int AS n FROM quern.runs WHERE id = ANY($1)";
    return (await execute(url, text, [ids]))[0]?.n;
  }

  it("claims runs in one transaction, round-robin over tenants and users", async () => {
    const [a1, a2, a3, b1, c1] = await submit(5, (n) =>
      submission({ tenantId: "aaabc"[n] ?? "", userId: `u${n % 2}` }),
    );
    const claimed = await claim(5);
    expect(claimed).toEqual([a1, b1, c1, a2, a3]);
    expect(await transactions(claimed)).toBe(1);
    // The tenant and the user that were served last are the last ones of the next round, too.
    const [a4, b2, a5] = await submit(3, (n) => submission({ tenantId: "aba"[n] ?? "", userId: `u${n % 2}` }));
    await submit(1, () => submission({ tenantId: "a", userId: "u1" }));
    expect(await claim(3)).toEqual([b2, expect.anything(), a4]);
    expect(await claim(3)).toEqual([a5]);
  });

  it("claims no more runs of a tenant than its cap allows, and returns undefined to the others", async () => {
    const capped = { caps: { maxRunningRuns: 3 } };
    await submit(12, (n) => submission({ tenantId: n < 9 ? "a" : "b", userId: `u${n % 2}` }, capped));
    expect(await claim(4)).toHaveLength(4);
    expect(await claim(8)).toHaveLength(2);
    expect(await claim(8)).toEqual([]);
  });

  it("claims all runs of a user beside another user with few", async () => {
    await submit(12, (n) => submission({ userId: n < 10 ? "many" : "few" }));
    expect(await claim(12)).toHaveLength(12);
  });

  it("does not wait for the disk if another call took the run meanwhile", async () => {
    await submit(1, () => submission());
    const [run] = await claim(1);
    const client = new pg.Client(url);
    await client.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM quern.queues FOR UPDATE");
    await client.query("UPDATE quern.runs SET state = 'QUERY_STATE_READY'; COMMIT; BEGIN");
    await client.query("SELECT 1 FROM quern.queues FOR UPDATE");
    const claimed = claim(1);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(() => execute(url, waiting)).toHaveLength(1);
    await client.query("UPDATE quern.runs SET state = 'QUERY_STATE_CANCELED' WHERE id = $1", [run]);
    await client.query("COMMIT");
    await client.end();
    expect(await claimed).toEqual([]);
    const committed = "SELECT pg_xact_status(xmax::text::xid8) AS status FROM quern.queues";
    expect(await execute(url, committed)).toEqual([{ status: "aborted" }]);
  });

  it("changes runs in one transaction, each with its own outcome", async () => {
    await submit(8, (n) => submission({ tenantId: `t${n % 3}` }));
    const ids = await claim(8);
    const notices: string[] = [];
    store.subscribe(({ runId }) => notices.push(runId));
    const outcomes = await Promise.all([
      ...ids.map((id, n) => store.runs.apply(id, { type: "failed", attempt: n === 0 ? 2 : 1, failure })),
      store.runs.apply("run_unknown", { type: "canceled" }),
    ]);
    const failed = { accepted: true, run: expect.objectContaining({ state: "QUERY_STATE_FAILED" }) };
    expect(outcomes).toEqual([{ accepted: false, refusal: "StaleAttempt" }, ...times(7, () => failed), undefined]);
    const late = await store.runs.apply(ids[1] ?? "", { type: "canceled" });
    expect(late).toEqual({ accepted: false, refusal: "RunEnded" });
    expect(await transactions(ids.slice(1))).toBe(1);
    expect(notices.toSorted()).toEqual(ids.slice(1).toSorted());
    for (const id of ids.slice(1)) expect((await store.runs.run(id))?.failure).toEqual(failure);
  });

  it("counts the bytes of the results of each tenant", async () => {
    await submit(8, (n) => submission({ tenantId: `t${n % 2}` }));
    const ids = await claim(8);
    await Promise.all(ids.map((id) => store.runs.apply(id, { type: "executed", attempt: 1 })));
    const stored = async () => Promise.all(["t0", "t1"].map((tenantId) => store.tenants.storedBytes(tenantId)));
    const records = await stored();
    const outcomes = await Promise.all(
      ids.map((id) => store.runs.apply(id, { type: "committed", attempt: 1, result })),
    );
    expect(outcomes.map((outcome) => outcome?.accepted)).toEqual(times(8, () => true));
    expect(await transactions(ids)).toBe(2);
    expect(await stored()).toEqual(records.map((bytes) => bytes + 28));
  });

  it("does not let a locked run delay others, also of later groups", async () => {
    const submitted = await submit(12, () => submission());
    await claim(12);
    const [locked = "", ...others] = submitted;
    const client = new pg.Client(url);
    await client.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM quern.runs WHERE id = $1 FOR UPDATE", [locked]);
    let isUnlocked = false;
    const fail = (id: string) => store.runs.apply(id, { type: "failed", attempt: 1, failure });
    const late = fail(locked).then((outcome) => ({ outcome, isUnlocked }));
    for (const id of others) expect(await Promise.all([fail(id)])).toMatchObject([{ accepted: true }]);
    isUnlocked = true;
    await client.query("COMMIT");
    await client.end();
    expect(await late).toMatchObject({ outcome: { accepted: true }, isUnlocked: true });
  });

  it("fails each of them in an outage", async () => {
    await submit(4, () => submission());
    const ids = await claim(4);
    await server.postgres.stop();
    try {
      const outcomes = await Promise.allSettled(ids.map((id) => store.runs.apply(id, { type: "canceled" })));
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: "rejected", reason: { name: "UnavailableError" } });
    } finally {
      await server.postgres.start();
    }
  });
});
