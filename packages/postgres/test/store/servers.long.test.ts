import type { Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeOnPostgres, execute, openStore } from "./fixture.ts";

const lease = { owner: "server", ms: 60_000 };
const result = { columns: [], rowCount: 0, totalBytes: 1 };

await describeOnPostgres("two servers on one database", (server) => {
  let url: string;
  let stores: readonly [Store, Store];
  beforeEach(async () => {
    url = await server.createDatabase();
    stores = [await openStore(url), await openStore(url)];
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));

  /** Returns the store of a call, alternately one and the other. */
  const storeOf = (call: number): Store => stores[call % 2 === 0 ? 0 : 1];
  const times = <T>(count: number, work: (call: number) => T): T[] => Array.from({ length: count }, (_, n) => work(n));

  /** Returns the number of executing runs of each tenant. */
  async function executing(): Promise<Map<string, number>> {
    const rows = await execute(
      url,
      "SELECT tenant_id, count(*)::int AS n FROM quern.runs WHERE state IN ('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS') GROUP BY tenant_id",
    );
    return new Map(rows.map(({ tenant_id, n }) => [tenant_id, n]));
  }

  describe("claims", () => {
    it("gives each run to one of 200 concurrent claims", async () => {
      const submitted = times(200, (n) =>
        storeOf(n).runs.submit(submission({ tenantId: `t${n % 4}`, userId: `u${n % 3}` })),
      );
      const ids = (await Promise.all(submitted)).map((outcome) => accepted(outcome).run.id);
      const claims = await Promise.all(times(210, (n) => storeOf(n).runs.claim(lease)));
      const claimed = claims.flatMap((claim) => (claim === undefined ? [] : [claim.run.id]));
      expect(claimed.toSorted()).toEqual(ids.toSorted());
    });

    it("never lets a tenant execute more runs than its cap", async () => {
      const caps = { maxRunningRuns: 3 };
      const of = (n: number) => submission({ tenantId: `t${n % 3}`, userId: `u${n % 7}` }, { caps });
      await Promise.all(times(90, (n) => storeOf(n).runs.submit(of(n))));
      const most: number[] = [];
      let ended = 0;
      /** Claims and ends runs until all have ended. */
      async function work(store: Store): Promise<void> {
        while (ended < 90) {
          const claim = await store.runs.claim(lease);
          most.push(Math.max(0, ...(await executing()).values()));
          if (claim === undefined) continue;
          const { id, attempt } = claim.run;
          await store.runs.apply(id, { type: "executed", attempt });
          expect(await store.runs.apply(id, { type: "committed", attempt, result })).toMatchObject({ accepted: true });
          ended += 1;
        }
      }
      await Promise.all(times(12, (n) => work(storeOf(n))));
      expect(Math.max(...most)).toBe(3);
    });

    it("serves tenants and users round-robin over both servers", async () => {
      for (const [tenantId, count] of [
        ["a", 6],
        ["b", 3],
        ["c", 1],
      ] as const)
        for (let n = 0; n < count; n += 1) await storeOf(n).runs.submit(submission({ tenantId, userId: `u${n % 2}` }));
      const order = [];
      for (let n = 0; n < 10; n += 1) {
        const claim = await storeOf(n).runs.claim(lease);
        order.push(`${claim?.run.tenantId}${claim?.run.userId}`);
      }
      expect(order).toEqual(["au0", "bu0", "cu0", "au1", "bu1", "au0", "bu0", "au1", "au0", "au1"]);
    });

    it("claims a run of a tenant that another claim has locked", async () => {
      await stores[0].runs.submit(submission());
      const locked = new Promise<void>((resolve, reject) => {
        execute(url, "BEGIN; SELECT 1 FROM quern.queues FOR UPDATE; SELECT pg_sleep(1); COMMIT").then(
          () => resolve(),
          reject,
        );
      });
      await expect
        .poll(() =>
          execute(url, "SELECT 1 FROM pg_locks WHERE relation = 'quern.queues'::regclass AND mode = 'RowShareLock'"),
        )
        .toHaveLength(1);
      expect((await stores[1].runs.claim(lease))?.run.state).toBe("QUERY_STATE_RUNNING");
      await locked;
    });
  });

  describe("submissions", () => {
    it("holds the cap of unfinished runs of a tenant", async () => {
      const capped = { caps: { maxUnfinishedRuns: 5 } };
      const outcomes = await Promise.all(times(40, (n) => storeOf(n).runs.submit(submission({}, capped))));
      expect(outcomes.filter(({ outcome }) => outcome === "accepted")).toHaveLength(5);
    });

    it("holds the cap of waiting runs of all tenants", async () => {
      const capped = { caps: { maxQueuedRuns: 10 } };
      const of = (n: number) => submission({ tenantId: `t${n}` }, capped);
      const outcomes = await Promise.all(times(60, (n) => storeOf(n).runs.submit(of(n))));
      // The first run of a tenant is admitted up to twice the cap.
      expect(outcomes.filter(({ outcome }) => outcome === "accepted")).toHaveLength(20);
    });

    it("answers equal calls with one run, and repeated calls with one request", async () => {
      const shared = (n: number) =>
        submission({ reuseKey: "shared" }, { request: { id: `req_${n}`, maxAgeMinutes: 1, resultTTLHours: 1 } });
      const joined = await Promise.all(times(30, (n) => storeOf(n).runs.submit(shared(n))));
      expect(new Set(joined.map((outcome) => accepted(outcome).run.id)).size).toBe(1);
      expect(joined.filter((outcome) => accepted(outcome).request.triggeredQueryRun)).toHaveLength(1);

      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      for (const maxAgeMinutes of [0, 1]) {
        const key = { ...idempotency, key: `k${maxAgeMinutes}` };
        const call = (n: number) =>
          submission(
            { reuseKey: `one_${maxAgeMinutes}` },
            { idempotency: key, request: { id: `${key.key}_${n}`, maxAgeMinutes, resultTTLHours: 1 } },
          );
        const repeated = await Promise.all(times(30, (n) => storeOf(n).runs.submit(call(n))));
        expect(new Set(repeated.map((outcome) => accepted(outcome).request.id)).size).toBe(1);
        expect(repeated.filter((outcome) => !accepted(outcome).repeated)).toHaveLength(1);
      }
    });

    it("stores one request for repeated calls that a result answers", async () => {
      const first = accepted(await stores[0].runs.submit(submission({ reuseKey: "shared" }))).run;
      await stores[0].runs.claim(lease);
      await stores[0].runs.apply(first.id, { type: "executed", attempt: 1 });
      await stores[0].runs.apply(first.id, { type: "committed", attempt: 1, result });
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const call = (n: number) =>
        submission(
          { reuseKey: "shared" },
          { idempotency, request: { id: `req_again_${n}`, maxAgeMinutes: 1, resultTTLHours: 1 } },
        );
      const outcomes = await Promise.all(times(30, (n) => storeOf(n).runs.submit(call(n))));
      expect(new Set(outcomes.map((outcome) => accepted(outcome).request.id)).size).toBe(1);
      expect(await execute(url, "SELECT id FROM quern.requests WHERE run_id = $1", [first.id])).toHaveLength(2);
    });

    it("joins no run that a withdrawal cancels", async () => {
      for (let round = 0; round < 10; round += 1) {
        const reuseKey = `shared_${round}`;
        const { run, request } = accepted(await stores[0].runs.submit(submission({ reuseKey })));
        const join = submission(
          { reuseKey },
          { request: { id: `req_join_${round}`, maxAgeMinutes: 1, resultTTLHours: 1 } },
        );
        const [, outcome] = await Promise.all([
          stores[0].runs.withdraw({ runId: run.id, requestId: request.id, userId: undefined }),
          stores[1].runs.submit(join),
        ]);
        expect((await stores[0].runs.run(accepted(outcome).run.id))?.state).toBe("QUERY_STATE_READY");
      }
    });
  });

  it("cancels a run whose requests are withdrawn at the same time", async () => {
    for (let round = 0; round < 30; round += 1) {
      const reuseKey = `shared_${round}`;
      const { run, request } = accepted(await stores[0].runs.submit(submission({ reuseKey })));
      const join = submission(
        { reuseKey },
        { request: { id: `req_second_${round}`, maxAgeMinutes: 1, resultTTLHours: 1 } },
      );
      const joined = accepted(await stores[0].runs.submit(join));
      expect(joined.run.id).toBe(run.id);
      const withdrawals = await Promise.all(
        [request, joined.request].map(({ id: requestId }, n) =>
          storeOf(n).runs.withdraw({ runId: run.id, requestId, userId: undefined }),
        ),
      );
      expect(withdrawals.map((withdrawal) => withdrawal?.accepted && withdrawal.ended).toSorted()).toEqual([
        false,
        true,
      ]);
      expect((await stores[0].runs.run(run.id))?.state).toBe("QUERY_STATE_CANCELED");
    }
  });

  it("keeps a longer retention that is requested while the run is claimed and ends", async () => {
    for (let round = 0; round < 10; round += 1) {
      const reuseKey = `shared_${round}`;
      const { run } = accepted(await stores[0].runs.submit(submission({ reuseKey })));
      const join = submission(
        { reuseKey },
        { request: { id: `req_long_${round}`, maxAgeMinutes: 1, resultTTLHours: 9 } },
      );
      await Promise.all([stores[0].runs.claim(lease), stores[1].runs.submit(join)]);
      const stored = await stores[0].runs.run(run.id);
      expect([stored?.state, stored?.resultTTLHours]).toEqual(["QUERY_STATE_RUNNING", 9]);
    }
  });

  it("keeps a statement that a new run has while the last run with it is purged", async () => {
    for (let round = 0; round < 10; round += 1) {
      const statement = { id: `st_${round}`, sql: "select 1", statementHash: `same_${round}` };
      const { run } = accepted(await stores[0].runs.submit(submission({}, { statement })));
      await stores[0].runs.apply(run.id, { type: "canceled" });
      const [purged, outcome] = await Promise.all([
        stores[0].runs.purge(-1_000, 10),
        stores[1].runs.submit(submission({}, { statement: { ...statement, id: `st_new_${round}` } })),
      ]);
      expect(purged).toBe(1);
      const { sqlStatementId } = accepted(outcome).run;
      expect(await stores[0].runs.statement("tenant", sqlStatementId)).toMatchObject({ sql: "select 1" });
    }
  });
});
