import type { LeaseStore } from "@quern/adapter";
import { expect, it, onTestFinished, vi } from "vitest";
import { createLeadership, underLock } from "../../src/scheduler/leadership.ts";
import { createMemoryLeases } from "../../src/store/sqlite/lease-store.ts";
import { eventually } from "../fixture.ts";

const log = { error: () => {} };
const election = (leases: LeaseStore, owner: string) => createLeadership({ leases, owner, log, leaseMs: 30_000 });

/** Timers and clocks of the test. The leases end by the same clock. */
function withFakeTime(): LeaseStore {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return createMemoryLeases(() => performance.now());
}

it("elects one of several servers, and another one once the leader closes or ends", async () => {
  const leases = withFakeTime();
  const [first, second, third] = ["first", "second", "third"].map((owner) => election(leases, owner));
  if (!first || !second || !third) throw new Error("there are three");
  for (const each of [first, second, third]) await each.start();
  const leaders = () => [first, second, third].map(({ isLeader }) => isLeader());
  expect(leaders()).toEqual([true, false, false]);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(leaders()).toEqual([true, false, false]);
  await first.close();
  expect(leaders()).toEqual([false, false, false]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(leaders()).toEqual([false, true, false]);
  await second.close();
  await third.close();
});

it("is no leader once its lease could have ended, although the store does not answer", async () => {
  const leases = withFakeTime();
  let isAway = false;
  const take: LeaseStore["take"] = (...lease) => (isAway ? Promise.reject(new Error("away")) : leases.take(...lease));
  const leadership = election({ ...leases, take }, "server");
  await leadership.start();
  isAway = true;
  await vi.advanceTimersByTimeAsync(29_999);
  expect(leadership.isLeader()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(leadership.isLeader()).toBe(false);
  isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(leadership.isLeader()).toBe(true);
  await leadership.close();
});

it("keeps no process alive", async () => {
  const set = vi.spyOn(globalThis, "setInterval");
  onTestFinished(() => set.mockRestore());
  const leadership = election(createMemoryLeases(Date.now), "server");
  await leadership.start();
  expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  await leadership.close();
});

it("lets servers make a change one after the other, also after a failed one", async () => {
  const leases = createMemoryLeases(Date.now);
  let working = 0;
  const most: number[] = [];
  const change = (owner: string, fails = false) =>
    underLock(leases, "change", owner, async () => {
      working += 1;
      most.push(working);
      await new Promise(setImmediate);
      working -= 1;
      if (fails) throw new Error("it failed");
      return owner;
    });
  const changes = [change("one"), change("two", true), change("three")];
  expect((await Promise.allSettled(changes)).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  await eventually(() => most.length === 3);
  expect(most).toEqual([1, 1, 1]);
});
