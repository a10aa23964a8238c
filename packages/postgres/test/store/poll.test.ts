import { expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { createPoll } from "../../src/store/poll.ts";

it("polls once at a time, and again for calls during a poll", async () => {
  const answers: ((rows: readonly []) => void)[] = [];
  const database = { rows: () => new Promise((resolve) => answers.push(resolve)) };
  const poll = createPoll(database as unknown as Database, () => {});
  const calls = [poll(), poll(), poll()];
  expect(answers).toHaveLength(1);
  answers[0]?.([]);
  await new Promise(setImmediate);
  expect(answers).toHaveLength(2);
  // The second poll reads the clock, then the changes.
  answers[1]?.([]);
  await new Promise(setImmediate);
  answers[2]?.([]);
  await Promise.all(calls);
  expect(answers).toHaveLength(3);
});

const row = (id: string, noticedAt: number, version = 1) => ({
  id,
  state: "QUERY_STATE_READY",
  version: String(version),
  noticed_at: String(noticedAt),
});

/** Polls a database whose clock and changes are given. Returns the notices, and the times since which it was asked. */
function polling(answers: readonly (readonly [now: number, rows: readonly object[]])[]) {
  const left = [...answers];
  const notices: unknown[] = [];
  const since: unknown[] = [];
  const rows = async (text: string, ...values: readonly unknown[]) => {
    if (text.includes("real_ms")) return [{ now: String(left[0]?.[0]) }];
    since.push(...values);
    return left[0]?.[1] ?? [];
  };
  const poll = createPoll({ rows } as unknown as Database, (notice) => notices.push(notice));
  return {
    notices,
    since,
    async poll() {
      await poll();
      left.shift();
    },
  };
}

it("delivers the changes since 5 seconds before the last poll, the first of which only notes the time", async () => {
  const { notices, since, poll } = polling([
    [100_000, [row("run_never", 1)]],
    [200_000, [row("run_a", 99_000), row("run_b", 99_001, 7)]],
    [300_000, []],
  ]);
  await poll();
  expect([since, notices]).toEqual([[], []]);
  await poll();
  await poll();
  expect(since).toEqual([95_000, 195_000]);
  expect(notices).toEqual([
    { runId: "run_a", state: "QUERY_STATE_READY", version: 1 },
    { runId: "run_b", state: "QUERY_STATE_READY", version: 7 },
  ]);
});

it("continues after a full page, and after the last poll for a page with later changes", async () => {
  const page = (last: number) => Array.from({ length: 5_000 }, (_, index) => row("run", last - 4_999 + index));
  const { since, poll } = polling([
    [100_000, []],
    [200_000, page(150_000)],
    [300_000, page(299_000)],
    [400_000, page(150_000).slice(1)],
    [500_000, []],
  ]);
  for (let count = 0; count < 5; count += 1) await poll();
  expect(since).toEqual([95_000, 150_000, 295_000, 395_000]);
});

it("polls again after a poll that failed", async () => {
  const failure = new Error("away");
  let asked = 0;
  const rows = async () => {
    asked += 1;
    throw failure;
  };
  const poll = createPoll({ rows } as unknown as Database, () => {});
  await expect(poll()).rejects.toBe(failure);
  await expect(poll()).rejects.toBe(failure);
  expect(asked).toBe(2);
});
