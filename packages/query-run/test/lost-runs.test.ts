import { pageSelectorDefaults } from "@quern/protocol/defaults";
import { expect, it, test } from "vitest";
import { maxPageBytes, pageExcess, pageRange } from "../src/page.ts";
import { clampMaxAgeMinutes, clampResultTTLHours, expiry, recordRetentionMs } from "../src/retention.ts";
import { chooseRun, isJoinable, isReusable, normalizedSql, reuseKeyText } from "../src/reuse.ts";
import { lossOf, maxLostWorkers, transition } from "../src/transition.ts";
import { after, ready, succeeded, t0 } from "./fixture.ts";

const running = after(ready(), { type: "claimed" }, { type: "begun", attempt: 1, engineQueryId: "e" });
const queued = { state: "QUERY_STATE_READY", startedAt: null, queryRunningEndedAt: null, engineQueryId: null };

it("is lost with its attempt and the reason", () => {
  expect(lossOf(running, "crash", undefined)).toEqual({ type: "workerLost", attempt: 1, reason: "crash" });
  expect(lossOf(running, "crash", 2)).toEqual({ type: "serverLost", attempt: 1, reason: "crash", maxLostServers: 2 });
});

it("is queued again after a lost worker or server, and fails at the limit", () => {
  const at = t0 + 60_000;
  const lost = transition(running, lossOf(running, "crash", undefined), at);
  expect(lost).toEqual({
    accepted: true,
    run: { ...running, ...queued, lostWorkers: 1, lostServers: 0, updatedAt: at },
  });
  const last = { ...running, lostWorkers: maxLostWorkers - 1 };
  const failed = transition(last, lossOf(last, "crash", undefined), at);
  expect(failed).toMatchObject({
    accepted: true,
    run: {
      state: "QUERY_STATE_FAILED",
      endedAt: at,
      lostWorkers: 3,
      failure: { name: "WorkerLost", data: { category: "INTERNAL", retryable: true } },
    },
  });
  const lostServer = transition(running, lossOf(running, "lease", 2), at);
  expect(lostServer).toEqual({ accepted: true, run: { ...running, ...queued, lostServers: 1, updatedAt: at } });
  const lastServer = { ...running, lostServers: 1 };
  expect(transition(lastServer, lossOf(lastServer, "lease", 2), at)).toMatchObject({
    accepted: true,
    run: {
      state: "QUERY_STATE_FAILED",
      endedAt: at,
      lostServers: 2,
      failure: {
        name: "WorkerLost",
        message: expect.stringContaining("lost 2 times in a row; the last time: lease."),
        data: { category: "INTERNAL", retryable: false },
      },
    },
  });
});

test("retentions and pages have their bounds", () => {
  expect([clampResultTTLHours(0.5), clampResultTTLHours(721), clampMaxAgeMinutes(10_081)]).toEqual([1, 720, 10_080]);
  expect([expiry(5, 2), recordRetentionMs, maxPageBytes]).toEqual([7_200_005, 3_888_000_000, 30_000_000]);
  expect(pageRange(pageSelectorDefaults, 1001)).toEqual({
    offset: 0,
    rowCount: 1000,
    page: { currentPageNumber: 1, currentPageSize: 1000, totalRows: 1001, totalPages: 2 },
  });
  expect(pageExcess(3, { rowCount: 2, excessBytes: 8 }, 10)).toEqual({ maxPageSize: 1 });
  expect(pageExcess(3, { rowCount: 2, excessBytes: 9 }, 10)).toEqual({ rowNumber: 5 });
  expect(pageExcess(0, { rowCount: 21, excessBytes: 1 }, 10)).toEqual({ maxPageSize: 18 });
});

test("a statement is the same without its end, and for each user that its data depends on", () => {
  expect(["a ; \n", "a;;", ";a", "a"].map(normalizedSql)).toEqual(["a", "a;", ";a", "a"]);
  const parts = {
    tenantId: "t",
    dataProvider: "p",
    dataSource: "s",
    dataSourceRevision: "r",
    sql: "a;",
    parameters: { y: 1, x: 2 },
  };
  expect(reuseKeyText(parts)).toBe('["t","p","s","r","a",{"x":2,"y":1}]');
  expect(reuseKeyText({ ...parts, userId: "u" })).toBe('["t","p","s","r","a",{"x":2,"y":1},"u"]');
});

test("a result is reused up to its age, and an unfinished run is shared", () => {
  const done = succeeded({ id: "done" });
  const endedAt = done.endedAt ?? 0;
  expect([59_999, 60_000, 60_001].map((ms) => isReusable(done, 1, endedAt + ms))).toEqual([true, true, false]);
  expect(isReusable(done, 0, endedAt)).toBe(false);
  expect([isReusable(running, 1, t0), isJoinable(running, 1), isJoinable(running, 0), isJoinable(done, 1)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
  const later = succeeded({ id: "later" }, t0 + 1);
  const second = { ...running, id: "second" };
  const chosen = (...runs: (typeof done)[]) => chooseRun(runs, 1, endedAt + 2)?.id;
  expect([chosen(done, later), chosen(later, done), chosen(second, done), chosen(second, running), chosen()]).toEqual([
    "later",
    "later",
    "done",
    "second",
    undefined,
  ]);
});
