import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createUsageMeter } from "../../src/telemetry/usage-meter.ts";
import { createTestClock } from "../fixture.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const user = { tenantId: "t", userId: "u" };

function metered(start?: number) {
  const clock = createTestClock(start);
  const store = openSqliteStore(":memory:").usage;
  const add = vi.fn(store.add);
  const logged: string[] = [];
  const meter = createUsageMeter({ ...store, add }, clock, { error: (message) => void logged.push(message) });
  const run = (change: Partial<RunRecord>): RunRecord => ({
    ...createRun({ ...submission().run, ...user }, clock.now()),
    startedAt: 1_000,
    ...change,
  });
  return { clock, store, add, logged, meter, run };
}

it("counts the time, the rows and the bytes of each user and month apart", async () => {
  const { clock, store, meter, run } = metered(Date.UTC(2026, 11, 31, 23, 59));
  const result = { columns: [], rowCount: 7, totalBytes: 1 };
  meter.ran(run({ endedAt: 3_500, result }));
  meter.ran(run({ endedAt: 1_500 }));
  meter.ran(run({ endedAt: 900 })); // the clock was set back
  meter.ran(run({ endedAt: null }));
  meter.ran(run({ startedAt: null, endedAt: 9_000 }));
  meter.read({ ...user, userId: "other" }, 5);
  await meter.flush();
  clock.advance(60_000);
  meter.read(user, 6);
  await meter.close();
  expect(await store.all()).toEqual(
    expect.arrayContaining([
      { ...user, month: "2026-12", execMs: 3_000, runs: 4, rows: 7, bytesRead: 0 },
      { ...user, userId: "other", month: "2026-12", execMs: 0, runs: 0, rows: 0, bytesRead: 5 },
      { ...user, month: "2027-01", execMs: 0, runs: 0, rows: 0, bytesRead: 6 },
    ]),
  );
  expect(await store.all()).toHaveLength(3);
});

it("adds stored and pending time for a budget, which begins anew with the month", async () => {
  const { clock, meter, run } = metered(Date.UTC(2026, 11, 31, 23, 59));
  meter.ran(run({ endedAt: 2_000 }));
  await meter.flush();
  meter.ran(run({ endedAt: 2_500 }));
  expect(await meter.spent(user, undefined)).toBeUndefined();
  expect(await meter.spent(user, 2.501)).toBeUndefined();
  expect(await meter.spent(user, 2.5)).toEqual({ budget: 2.5, used: 2.5, resetsAt: "2027-01-01T00:00:00.000Z" });
  expect(await meter.spent({ ...user, tenantId: "other" }, 2.5)).toBeUndefined();
  clock.advance(60_000);
  expect(await meter.spent(user, 2.5)).toBeUndefined();
});

it("writes each second what was added, and nothing else", async () => {
  const { add, meter } = metered();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(add).not.toHaveBeenCalled();
  meter.read(user, 5);
  await vi.advanceTimersByTimeAsync(999);
  expect(add).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(add).toHaveBeenCalledOnce();
  await meter.close();
  expect([add.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
});

it("logs the first of successive failures, and again after a success", async () => {
  const { add, meter, logged } = metered();
  const second = () => vi.advanceTimersByTimeAsync(1_000);
  add.mockRejectedValueOnce(new Error("full")).mockRejectedValueOnce(new Error("full"));
  meter.read(user, 5);
  await second();
  await second();
  expect(logged).toEqual(["usage could not be written to the store"]);
  await second();
  add.mockRejectedValueOnce(new Error("full"));
  meter.read(user, 5);
  await second();
  expect(logged).toHaveLength(2);
  await meter.close();
});

it("keeps what could not be written, and adds to it", async () => {
  const { add, meter, store, logged } = metered();
  add.mockRejectedValueOnce(new Error("full"));
  meter.read(user, 5);
  await expect(meter.flush()).rejects.toThrow("full");
  meter.read(user, 6);
  await meter.close();
  expect(await store.all()).toMatchObject([{ runs: 0, bytesRead: 11 }]);
  expect(logged).toEqual([]);
});

it("writes once for concurrent flushes, for which a budget and the end wait", async () => {
  const { add, meter, run, store } = metered();
  const { promise, resolve } = Promise.withResolvers<void>();
  add.mockImplementationOnce(async (records) => {
    await promise;
    await store.add(records);
  });
  meter.ran(run({ endedAt: 3_000 }));
  const flushes = [meter.flush(), meter.flush()];
  const spent = meter.spent(user, 2);
  const closed = meter.close();
  resolve();
  await Promise.all(flushes);
  expect(await spent).toMatchObject({ budget: 2, used: 2 });
  await closed;
  expect(add).toHaveBeenCalledOnce();
});

it("reads a budget although a flush fails, and logs the failure of the last one", async () => {
  const { add, meter, run, logged } = metered();
  add.mockRejectedValue(new Error("full"));
  meter.ran(run({ endedAt: 3_000 }));
  const flushed = meter.flush().catch(() => {});
  expect(await meter.spent(user, 2)).toMatchObject({ used: 2 });
  await flushed;
  const again = meter.flush().catch(() => {});
  await meter.close();
  await again;
  expect(logged).toEqual(["usage could not be written to the store"]);
});

it("charges the time of a claimed run by a clock that nobody can set, and others up to their time limit", async () => {
  const { store, clock, run } = metered();
  let elapsed = 5_000;
  const meter = createUsageMeter(store, { now: clock.now, elapsed: () => elapsed }, { error: () => {} });
  const stepped = run({ endedAt: 1_000 + 7_200_000, statementTimeoutSeconds: 60 });
  meter.claimed(stepped);
  elapsed += 250;
  meter.ran(stepped);
  meter.ran({ ...stepped, id: "run_of_another_server" });
  await meter.close();
  expect(await store.all()).toMatchObject([{ execMs: 60_250, runs: 2 }]);
});
