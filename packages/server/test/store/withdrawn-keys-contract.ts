import type { RunStore, Submission } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenStore } from "./run-store-contract.ts";
import { accepted, submission } from "./submission.ts";

const t0 = Date.UTC(2026, 10, 20);
const lease = { owner: "server", ms: 30_000 };

/** What every store must know of creates that are withdrawn by their idempotency key, whatever keeps its records. */
export function testWithdrawnKeys(open: () => Promise<OpenStore>): void {
  let opened: OpenStore;
  let store: RunStore;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  const submit = async (each: Submission, now = t0) => accepted(await store.submit(each, now));

  describe("a run store", () => {
    it("knows the request of a key that is withdrawn", async () => {
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const { request } = await submit(submission({}, { idempotency }));
      expect(await store.withdrawKey({ apiKeyId: "key", key: "k" }, t0 + 86_399_999)).toEqual(request);
      expect(await store.withdrawKey({ apiKeyId: "another", key: "k" }, t0)).toBeUndefined();
    });

    it("remembers for a day a key that is withdrawn before its create arrives, and runs nothing for it", async () => {
      const of = (apiKeyId: string, key: string, more: object = {}) =>
        submission({ reuseKey: "shared" }, { idempotency: { apiKeyId, key, bodyHash: "a" }, ...more });
      for (const key of ["a", "b"]) {
        expect(await store.withdrawKey({ apiKeyId: "key", key }, t0)).toBeUndefined();
      }
      // No cap counts against what never runs, and it joins no other run.
      const full = { caps: { maxUnfinishedRuns: 0 } };
      const late = await submit(of("key", "a", full), t0 + 86_399_999);
      expect(late.run).toMatchObject({ state: "QUERY_STATE_CANCELED", attempt: 0 });
      expect(await submit(of("key", "a", full), t0 + 86_399_999)).toMatchObject({
        repeated: true,
        run: { id: late.run.id, state: "QUERY_STATE_CANCELED" },
      });
      expect(await store.claim(lease, t0 + 86_399_999)).toBeUndefined();
      const others = [of("key", "c"), of("another", "a"), submission({ reuseKey: "shared" })];
      for (const other of others) expect((await submit(other)).run.state).toBe("QUERY_STATE_READY");
      expect((await submit(of("key", "b"), t0 + 86_400_000)).run.state).toBe("QUERY_STATE_READY");
    });
  });
}
