import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { expect, it } from "vitest";
import type { Database, Transaction } from "../../src/store/database.ts";
import { createNotices } from "../../src/store/notices.ts";

const ready = (id: string, state: RunRecord["state"] = "QUERY_STATE_READY"): RunRecord => ({
  ...createRun({ ...submission().run, id }, 0),
  state,
});

function noticing() {
  const events: string[] = [];
  const database = {
    async transaction<T>(work: (queries: Transaction) => Promise<T>): Promise<T> {
      const outcome = await work({} as Transaction);
      events.push("committed");
      return outcome;
    },
  };
  const notices = createNotices(database as unknown as Database, (sent) =>
    events.push(`sent ${sent.map(({ runId, state, version }) => `${runId} ${state} ${version}`).join(", ")}`),
  );
  return { events, notices };
}

it("sends and delivers the last noticed state of each run after the commit", async () => {
  const { events, notices } = noticing();
  notices.subscribe(({ runId, state }) => events.push(`${runId} ${state}`));
  const outcome = await notices.change(async (_, addNotice) => {
    addNotice(ready("a"), 1);
    addNotice(ready("a", "QUERY_STATE_RUNNING"), 2);
    addNotice(ready("b", "QUERY_STATE_RUNNING"), 3);
    addNotice(ready("c"), 4);
    addNotice(ready("c", "QUERY_STATE_FAILED"), 5);
    return 7;
  });
  expect(outcome).toBe(7);
  expect(events.splice(0)).toEqual([
    "committed",
    "sent a QUERY_STATE_READY 1, c QUERY_STATE_FAILED 5",
    "a QUERY_STATE_READY",
    "c QUERY_STATE_FAILED",
  ]);
  await notices.change(async (_, addNotice) => addNotice(ready("b", "QUERY_STATE_RUNNING"), 6));
  expect(events).toEqual(["committed"]);
});

it("publishes the committed changes of states that are noticed, each with the next version", () => {
  const { events, notices } = noticing();
  const before = (run: RunRecord, version: number) => ({ run, version });
  notices.publishRuns([
    { before: before(ready("a"), 4), run: ready("a", "QUERY_STATE_SUCCESS") },
    { before: before(ready("b"), 4), run: ready("b", "QUERY_STATE_RUNNING") },
    { before: before(ready("c"), 4), run: ready("c") },
  ]);
  expect(events).toEqual(["sent a QUERY_STATE_SUCCESS 5"]);
});

it("delivers no notice twice, and none that is older than the last one of the run", () => {
  const { events, notices } = noticing();
  notices.subscribe(({ runId, state }) => events.push(`${runId} ${state}`));
  const deliver = (runId: string, version: number) => notices.deliver({ runId, state: "QUERY_STATE_READY", version });
  for (const version of [0, 2, 2, 1, 3]) deliver("a", version);
  expect(events).toHaveLength(2);
  // It remembers at least 10,000 runs, and at most 20,000.
  for (let run = 1; run < 10_000; run += 1) deliver(`run ${run}`, 1);
  expect(events).toHaveLength(10_001);
  for (let run = 10_000; run < 20_000; run += 1) deliver(`run ${run}`, 1);
  deliver("run 19999", 1);
  deliver("run 9999", 1);
  deliver("a", 3);
  expect(events).toHaveLength(20_001);
  deliver("run 20000", 1);
  deliver("a", 3);
  expect(events).toHaveLength(20_003);
});

it("notifies a listener as often as it subscribes, until it ends each subscription", () => {
  const { notices } = noticing();
  const seen: string[] = [];
  const listener = ({ runId }: { readonly runId: string }) => void seen.push(runId);
  expect(notices.hasSubscribers).toBe(false);
  const ends = [notices.subscribe(listener), notices.subscribe(listener)];
  const deliver = (runId: string) => notices.deliver({ runId, state: "QUERY_STATE_READY", version: 1 });
  deliver("a");
  ends[0]?.();
  deliver("b");
  expect(notices.hasSubscribers).toBe(true);
  ends[1]?.();
  deliver("c");
  expect([seen, notices.hasSubscribers]).toEqual([["a", "a", "b"], false]);
});
