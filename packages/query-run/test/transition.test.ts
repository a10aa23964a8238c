import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFinal, type RunFailure, type RunRecord } from "../src/record.ts";
import { maxLostWorkers, type RunEvent, transition } from "../src/transition.ts";
import { after, ready, result, succeeded, t0 } from "./fixture.ts";

const failure: RunFailure = { name: "BinderError", message: "no such column", data: { category: "USER" } };

function refusal(run: RunRecord, event: RunEvent, now = run.updatedAt): string {
  const next = transition(run, event, now);
  return next.accepted ? "accepted" : next.refusal;
}

describe("the life of a run", () => {
  it("goes from ready to success and sets all five timestamps", () => {
    expect(succeeded()).toMatchObject({
      state: "QUERY_STATE_SUCCESS",
      attempt: 1,
      createdAt: t0,
      startedAt: t0 + 1000,
      queryRunningEndedAt: t0 + 2000,
      queryStreamingEndedAt: t0 + 3000,
      endedAt: t0 + 3000,
      expiresAt: t0 + 3000 + 3_600_000,
      result,
    });
  });

  it.each([
    [undefined, 9_000],
    [0, 9_000],
    [4_000, 5_000],
    [60_000, 1_000],
  ])(
    "has ended its statement %s ms before a result that was stored quickly, but not before its start",
    (storingMs, ended) => {
      const running = after(ready(), { type: "claimed" });
      const committed = transition(running, { type: "committed", attempt: 1, result, storingMs }, t0 + 9_000);
      expect(committed).toMatchObject({
        accepted: true,
        run: {
          state: "QUERY_STATE_SUCCESS",
          result,
          startedAt: t0 + 1_000,
          queryRunningEndedAt: t0 + ended,
          queryStreamingEndedAt: t0 + 9_000,
          endedAt: t0 + 9_000,
        },
      });
    },
  );

  it("keeps the time at which its statement was seen to end", () => {
    const streaming = after(ready(), { type: "claimed" }, { type: "executed", attempt: 1 });
    expect(after(streaming, { type: "committed", attempt: 1, result, storingMs: 0 })).toMatchObject({
      queryRunningEndedAt: t0 + 2_000,
    });
  });

  it("fails and is canceled from each unfinished state", () => {
    const running = after(ready(), { type: "claimed" });
    const streaming = after(running, { type: "executed", attempt: 1 });
    for (const run of [ready(), running, streaming]) {
      expect(after(run, { type: "failed", attempt: run.attempt, failure })).toMatchObject({
        state: "QUERY_STATE_FAILED",
        failure,
      });
      const canceled = after(run, { type: "canceled" });
      expect(canceled).toMatchObject({ state: "QUERY_STATE_CANCELED", failure: null, endedAt: canceled.updatedAt });
    }
  });

  it("knows the query on the engine from its beginning until the run is queued again", () => {
    const running = after(ready(), { type: "claimed" });
    const begun = after(running, { type: "begun", attempt: 1, engineQueryId: "q1" });
    expect(begun).toMatchObject({ state: "QUERY_STATE_RUNNING", engineQueryId: "q1" });
    expect(after(begun, { type: "executed", attempt: 1 })).toMatchObject({ engineQueryId: "q1" });
    expect(after(begun, { type: "workerLost", attempt: 1, reason: "killed" })).toMatchObject({ engineQueryId: null });
    expect(refusal(ready(), { type: "begun", attempt: 0, engineQueryId: "q1" })).toBe("WrongState");
  });

  it("refuses events in the wrong state", () => {
    const running = after(ready(), { type: "claimed" });
    expect(refusal(ready(), { type: "executed", attempt: 0 })).toBe("WrongState");
    expect(refusal(running, { type: "claimed" })).toBe("WrongState");
    expect(refusal(ready(), { type: "committed", attempt: 0, result })).toBe("WrongState");
    expect(refusal(ready(), { type: "released", attempt: 0 })).toBe("WrongState");
    expect(refusal(ready(), { type: "workerLost", attempt: 0, reason: "" })).toBe("WrongState");
    expect(refusal(running, { type: "archived" })).toBe("RunNotEnded");
    expect(refusal(after(running, { type: "canceled" }), { type: "archived" })).toBe("WrongState");
  });

  it("refuses a worker that was declared lost", () => {
    const again = after(ready(), { type: "claimed" }, { type: "released", attempt: 1 }, { type: "claimed" });
    expect(again).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 2 });
    expect(refusal(again, { type: "executed", attempt: 1 })).toBe("StaleAttempt");
    expect(refusal(again, { type: "executed", attempt: 2 })).toBe("accepted");
  });

  it("queues a run again after a lost worker, and fails it after the third", () => {
    let run = ready();
    for (let lost = 1; lost < maxLostWorkers; lost += 1) {
      run = after(run, { type: "claimed" }, { type: "workerLost", attempt: lost, reason: "killed" });
      expect(run).toMatchObject({ state: "QUERY_STATE_READY", lostWorkers: lost, startedAt: null });
    }
    run = after(run, { type: "claimed" }, { type: "workerLost", attempt: maxLostWorkers, reason: "killed by SIGKILL" });
    expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", failure: { name: "WorkerLost" } });
    expect(run.failure?.message).toContain("killed by SIGKILL");
  });

  it("queues a run again that has lost its server, and fails it after the last one that it may lose in a row", () => {
    const lose = (run: RunRecord): RunRecord =>
      after(
        run,
        { type: "claimed" },
        { type: "serverLost", attempt: run.attempt + 1, reason: "gone", maxLostServers: 3 },
      );
    let run = lose(lose(ready()));
    expect(run).toMatchObject({ state: "QUERY_STATE_READY", lostServers: 2, lostWorkers: 0, startedAt: null });
    // A server that returns the run to the queue has survived it.
    run = lose(lose(after(run, { type: "claimed" }, { type: "released", attempt: 3 })));
    expect(run).toMatchObject({ state: "QUERY_STATE_READY", lostServers: 2 });
    // So has one that reports a lost worker.
    const workerLost = { type: "workerLost", attempt: 6, reason: "killed" } as const;
    expect(after(run, { type: "claimed" }, workerLost)).toMatchObject({ lostServers: 0, lostWorkers: 1 });
    const { state, failure } = lose(run);
    expect([state, failure]).toEqual([
      "QUERY_STATE_FAILED",
      {
        name: "WorkerLost",
        message:
          "The servers that executed the query were lost 3 times in a row; the last time: gone. The query may need more memory than a server has; query less data.",
        data: { category: "INTERNAL", retryable: false },
      },
    ]);
    expect(refusal(ready(), { type: "serverLost", attempt: 0, reason: "", maxLostServers: 3 })).toBe("WrongState");
  });

  it("counts no worker as lost at a shutdown", () => {
    let run = ready();
    for (let attempt = 1; attempt < 10; attempt += 1)
      run = after(run, { type: "claimed" }, { type: "released", attempt });
    expect(run).toMatchObject({ state: "QUERY_STATE_READY", lostWorkers: 0, attempt: 9 });
  });
});

describe("retention", () => {
  it("stores a result for the longest retention of its requests", () => {
    const run = after(ready(), { type: "requested", resultTTLHours: 5 }, { type: "requested", resultTTLHours: 2 });
    expect(run.resultTTLHours).toBe(5);
    const ended = after(
      run,
      { type: "claimed" },
      { type: "executed", attempt: 1 },
      { type: "committed", attempt: 1, result },
    );
    expect(ended.expiresAt).toBe((ended.endedAt ?? 0) + 5 * 3_600_000);
  });

  it("extends it when a later request reuses it, and never shortens it", () => {
    const run = succeeded({ resultTTLHours: 2 });
    expect(after(run, { type: "requested", resultTTLHours: 1 })).toBe(run);
    const needed = run.updatedAt + 1000 + 3 * 3_600_000;
    const extended = after(run, { type: "requested", resultTTLHours: 3 });
    expect(extended).toMatchObject({ resultTTLHours: 3, expiresAt: Math.ceil(needed / 60_000) * 60_000 });
  });

  it("is written at most once a minute by equal requests", () => {
    const request: RunEvent = { type: "requested", resultTTLHours: 2 };
    const extended = after(succeeded({ resultTTLHours: 2 }), request);
    const until = (extended.expiresAt ?? 0) - 2 * 3_600_000;
    expect(transition(extended, request, until)).toEqual({ accepted: true, run: extended });
    expect(transition(extended, request, until + 1)).toMatchObject({
      run: { expiresAt: (extended.expiresAt ?? 0) + 60_000 },
    });
  });

  it("archives once, and an expired result takes no more requests", () => {
    const run = succeeded();
    expect(refusal(run, { type: "requested", resultTTLHours: 9 }, run.expiresAt ?? 0)).toBe("ResultExpired");
    const archived = after(run, { type: "archived" });
    expect(archived).toMatchObject({ state: "QUERY_STATE_SUCCESS", archivedAt: run.updatedAt + 1000 });
    expect(refusal(archived, { type: "archived" })).toBe("ResultExpired");
    expect(refusal(archived, { type: "requested", resultTTLHours: 1 })).toBe("ResultExpired");
  });
});

describe("every sequence of events", () => {
  const attempt = fc.integer({ min: 0, max: 4 });
  const event: fc.Arbitrary<RunEvent> = fc.oneof(
    fc.constant<RunEvent>({ type: "claimed" }),
    attempt.map((attempt): RunEvent => ({ type: "begun", attempt, engineQueryId: "q1" })),
    attempt.map((attempt): RunEvent => ({ type: "executed", attempt })),
    attempt.map((attempt): RunEvent => ({ type: "committed", attempt, result })),
    attempt.map((attempt): RunEvent => ({ type: "failed", attempt, failure })),
    attempt.map((attempt): RunEvent => ({ type: "workerLost", attempt, reason: "killed" })),
    attempt.map((attempt): RunEvent => ({ type: "released", attempt })),
    fc.constant<RunEvent>({ type: "canceled" }),
    fc.integer({ min: 1, max: 720 }).map((resultTTLHours): RunEvent => ({ type: "requested", resultTTLHours })),
    fc.constant<RunEvent>({ type: "archived" }),
  );
  // Clocks jump back, too.
  const history = fc.array(fc.tuple(event, fc.integer({ min: -5000, max: 3_600_000 })), { maxLength: 40 });

  it("never changes a final state, never runs backwards, and explains every end", () => {
    fc.assert(
      fc.property(history, (events) => {
        let run = ready();
        let now = t0;
        for (const [next, passed] of events) {
          now += passed;
          const outcome = transition(run, next, now);
          if (!outcome.accepted) continue;
          const before = run;
          run = outcome.run;
          if (isFinal(before.state)) {
            const { updatedAt, archivedAt, expiresAt, resultTTLHours, ...rest } = before;
            expect(run).toMatchObject(rest);
            expect(run.expiresAt ?? 0).toBeGreaterThanOrEqual(expiresAt ?? 0);
          }
          expect(run.attempt).toBeGreaterThanOrEqual(before.attempt);
          expectOrder(run);
          expectShape(run);
        }
      }),
      { numRuns: 2000, seed: 20261120 },
    );
  });

  function expectOrder(run: RunRecord): void {
    const { createdAt, startedAt, queryRunningEndedAt, queryStreamingEndedAt, endedAt, archivedAt, updatedAt } = run;
    const times = [createdAt, startedAt, queryRunningEndedAt, queryStreamingEndedAt, endedAt, archivedAt, updatedAt];
    const known = times.filter((time) => time !== null);
    expect(known).toEqual([...known].sort((a, b) => a - b));
  }

  function expectShape(run: RunRecord): void {
    expect(run.endedAt !== null).toBe(isFinal(run.state));
    expect(run.failure !== null).toBe(run.state === "QUERY_STATE_FAILED");
    expect(run.result !== null).toBe(run.state === "QUERY_STATE_SUCCESS");
    expect(run.expiresAt !== null).toBe(run.state === "QUERY_STATE_SUCCESS");
    if (run.state === "QUERY_STATE_SUCCESS") {
      expect([run.startedAt, run.queryRunningEndedAt, run.queryStreamingEndedAt]).not.toContain(null);
    }
  }
});
