import type { NamedLeaseStore } from "@quern/adapter";
import { expect, it, onTestFinished, vi } from "vitest";
import { createLeadership, underLock } from "../../src/scheduler/leadership.ts";
import { createMemoryLeases } from "../../src/sqlite/named-lease-store.ts";
import { eventually } from "../fixture.ts";
import { replacePauses } from "../pauses.ts";

const log = { error: () => {} };
const election = (leases: NamedLeaseStore, owner: string) => createLeadership({ leases, owner, log });

/** Timers and clocks of the test. The leases end by the same clock. */
function withFakeTime(): NamedLeaseStore {
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
  const take: NamedLeaseStore["take"] = (...lease) =>
    isAway ? Promise.reject(new Error("away")) : leases.take(...lease);
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

it("takes the lease again when its own renewal fails, and logs the failure once for each interval", async () => {
  const leases = withFakeTime();
  const logged: string[] = [];
  const take = vi.fn(leases.take);
  const options = {
    leases: { ...leases, take },
    owner: "server",
    log: { error: (text: string) => void logged.push(text) },
  };
  const leadership = createLeadership(options);
  await leadership.start();
  expect(take.mock.calls).toEqual([["leader", 1, { owner: "server", ms: 30_000 }]]);
  for (let failures = 0; failures < 2; failures += 1) take.mockRejectedValueOnce(new Error("away"));
  await vi.advanceTimersByTimeAsync(20_000);
  expect([take.mock.calls.length, logged]).toEqual([
    3,
    Array(2).fill("the lease of the leader could not be taken or renewed"),
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(leadership.isLeader()).toBe(true);
  await leadership.close();
});

it("does not renew while a renewal is in progress, and gives up on close what that renewal takes", async () => {
  const leases = withFakeTime();
  let answer: (isTaken: boolean) => void = () => {};
  const take = vi.fn(leases.take);
  const release = vi.fn(leases.release);
  const leadership = election({ ...leases, take, release }, "server");
  await leadership.start();
  take.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  await vi.advanceTimersByTimeAsync(30_000);
  expect([take.mock.calls.length, leadership.isLeader()]).toEqual([2, false]);
  const closed = leadership.close();
  expect([vi.getTimerCount(), release.mock.calls.length]).toEqual([0, 0]);
  answer(true);
  await closed;
  expect([release.mock.calls, leadership.isLeader()]).toEqual([[["leader", "server"]], false]);
});

it("gives only its own leadership up on close, and logs that it could not", async () => {
  const leases = withFakeTime();
  const logged: string[] = [];
  const log = { error: (text: string) => void logged.push(text) };
  const release = vi.fn(async () => {
    await new Promise(setImmediate);
    throw new Error("away");
  });
  const [first, second] = ["first", "second"].map((owner) =>
    createLeadership({ leases: { ...leases, release }, owner, log }),
  );
  await first?.start();
  await second?.start();
  await second?.close();
  expect([release.mock.calls, logged]).toEqual([[], []]);
  await first?.close();
  expect(release.mock.calls).toEqual([["leader", "first"]]);
  expect(logged).toEqual(["the leadership could not be given up, so the next leader is elected when its lease ends"]);
});

it("holds a lock for ten seconds, under its name and its owner", async () => {
  const leases = createMemoryLeases(Date.now);
  const [take, release] = [vi.spyOn(leases, "take"), vi.spyOn(leases, "release")];
  expect(await underLock(leases, "change", "server", async () => "made")).toBe("made");
  expect(take.mock.calls).toEqual([["change", 1, { owner: "server", ms: 10_000 }]]);
  expect(release.mock.calls).toEqual([["change", "server"]]);
});

it("tries again to take a lock every 100 ms while another server has it", async () => {
  const pauses = replacePauses(async () => {});
  const leases = createMemoryLeases(Date.now);
  const take = vi.spyOn(leases, "take");
  for (let tries = 0; tries < 3; tries += 1) take.mockResolvedValueOnce(false);
  expect(await underLock(leases, "change", "server", async () => "made")).toBe("made");
  expect(pauses.mock.calls).toEqual(Array(3).fill([100]));
});

it("releases a lock when its work has ended", async () => {
  const leases = createMemoryLeases(Date.now);
  const order: string[] = [];
  const release = async (): Promise<void> => {
    await new Promise(setImmediate);
    order.push("released");
  };
  await underLock({ ...leases, release }, "change", "server", async () => {
    await new Promise(setImmediate);
    order.push("made");
  });
  expect(order).toEqual(["made", "released"]);
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
