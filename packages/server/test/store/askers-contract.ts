import type { RunStore, Submission } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenStore } from "./run-store-contract.ts";
import { accepted, submission } from "./submission.ts";

const t0 = Date.UTC(2026, 10, 20);

/** What every store must know of who asked for what, whatever keeps its records. */
export function testAskers(open: () => Promise<OpenStore>): void {
  let opened: OpenStore;
  let store: RunStore;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  const submit = async (each: Submission, now = t0) => accepted(await store.submit(each, now));

  describe("a run store", () => {
    it("tells whose a request is, so that no user withdraws another's", async () => {
      const { run, request } = await submit(submission());
      const withdrawn = await store.withdraw({ runId: run.id, requestId: request.id, userId: "another" }, t0);
      expect(withdrawn).toBeUndefined();
      expect(await store.run(run.id)).toEqual(run);
    });

    it("lists the runs that a user asked for, also those of another, once and in their order", async () => {
      const of = (userId: string, reuseKey: string, tenantId = "tenant") => submission({ userId, reuseKey, tenantId });
      const join = (userId: string, reuseKey: string, id: string) => {
        const request = { id, maxAgeMinutes: 1, resultTTLHours: 1 };
        return submission({ userId, reuseKey }, { request });
      };
      const first = await submit(of("ann", "a"));
      const shared = await submit(of("ann", "b"), t0 + 1);
      const last = await submit(of("bob", "c"), t0 + 2);
      await submit(of("bob", "d", "other"), t0 + 2);
      for (const id of ["req_x", "req_y"]) await submit(join("bob", "b", id), t0 + 3);
      const query = { tenantId: "tenant", sources: null, states: undefined, tags: {}, since: undefined, limit: 10 };
      const list = async (userId: string | undefined, more: object = {}) =>
        (await store.list({ ...query, userId, after: undefined, ...more })).map(({ id }) => id);
      const [a, b, c] = [first, shared, last].map(({ run }) => run.id);
      expect(await list("ann")).toEqual([b, a]);
      expect(await list("bob")).toEqual([c, b]);
      expect(await list(undefined)).toEqual([c, b, a]);
      expect(await list("bob", { after: last.run })).toEqual([b]);
      expect(await list("bob", { since: t0 + 2 })).toEqual([c]);
      expect(await list("bob", { sources: ["another"] })).toEqual([]);
      expect([await store.askedForRun("bob", shared.run), await store.askedForRun("bob", first.run)]).toEqual([
        true,
        false,
      ]);
    });

    it("has the latest request for a statement, of a user and on some sources", async () => {
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const ask = async (userId: string, dataSourceId: string, age: number) =>
        (await submit(submission({ userId, dataSourceId }, { statement }), t0 - age)).request.id;
      const anns = await ask("ann", "closed", 0);
      await ask("bob", "open", 3);
      const onClosed = await ask("bob", "closed", 2);
      await ask("bob", "open", 1);
      const last = await ask("bob", "open", 1); // at the same time
      const latest = async (userId: string | undefined, sources: readonly string[] | null) =>
        (await store.latestRequest("st_a", { userId, sources }))?.request.id;
      expect(await latest(undefined, null)).toBe(anns);
      expect(await latest("bob", null)).toBe(last);
      expect(await latest("bob", ["closed"])).toBe(onClosed);
      expect(await latest("ann", ["open"])).toBeUndefined();
      expect(await latest("eve", null)).toBeUndefined();
    });
  });
}
