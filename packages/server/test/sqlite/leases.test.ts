import type { RunNotice } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { createMemoryLeases } from "../../src/sqlite/named-lease-store.ts";
import { createNotices } from "../../src/sqlite/notices.ts";

function leasesAt() {
  const clock = { ms: 0 };
  const leases = createMemoryLeases(() => clock.ms);
  const take = (owner: string, { name = "work", limit = 1, ms = 10 } = {}) => leases.take(name, limit, { owner, ms });
  return { clock, leases, take };
}

it("gives as many leases of a name as its limit, until they end", async () => {
  const { clock, leases, take } = leasesAt();
  expect([await take("a"), await take("b"), await take("b", { limit: 2 })]).toEqual([true, false, true]);
  expect(await take("c", { name: "other" })).toBe(true);
  clock.ms = 9;
  expect([await take("c", { limit: 2 }), leases.owners()]).toEqual([false, ["a", "b", "c"]]);
  clock.ms = 10;
  expect(leases.owners()).toEqual([]);
  expect(await take("c")).toBe(true);
});

it("renews the lease of its owner, and releases that of one owner only", async () => {
  const { clock, leases, take } = leasesAt();
  await take("a", { limit: 2 });
  await take("b", { limit: 2 });
  clock.ms = 5;
  expect(await take("a", { limit: 1, ms: 10 })).toBe(true);
  await leases.release("work", "b");
  await leases.release("work", "none");
  await leases.release("none", "a");
  expect([await take("c"), leases.owners()]).toEqual([false, ["a"]]);
  clock.ms = 14;
  expect(leases.owners()).toEqual(["a"]);
  await leases.release("work", "a");
  expect([await take("c"), leases.owners()]).toEqual([true, ["c"]]);
});

it("notifies each subscriber once of runs that are queued or have ended, after the commit", async () => {
  const order: string[] = [];
  const change = async <T>(work: () => T): Promise<T> => {
    const outcome = work();
    order.push("commit");
    return outcome;
  };
  const notices = createNotices({ change, changeUnflushed: change });
  const listener = ({ runId, state }: RunNotice) => void order.push(`${runId} ${state}`);
  const [first, second] = [notices.subscribe(listener), notices.subscribe(listener)];
  const addNotice = (id: string, state: string) => notices.addNotice({ id, state } as RunRecord);
  const answer = await notices.change(() => {
    addNotice("a", "QUERY_STATE_READY");
    addNotice("a", "QUERY_STATE_CANCELED");
    addNotice("b", "QUERY_STATE_RUNNING");
    return 7;
  });
  expect([answer, order.splice(0)]).toEqual([7, ["commit", "a QUERY_STATE_CANCELED", "a QUERY_STATE_CANCELED"]]);
  first();
  first();
  await notices.change(() => addNotice("c", "QUERY_STATE_READY"));
  expect(order.splice(0)).toEqual(["commit", "c QUERY_STATE_READY"]);
  second();
  await notices.change(() => addNotice("d", "QUERY_STATE_READY"));
  expect(order).toEqual(["commit"]);
});
