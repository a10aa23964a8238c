import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createProgress, secondsText } from "../../src/run/progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function streams(stdoutIsTTY: boolean, stderrIsTTY: boolean) {
  const written: string[] = [];
  const stderr = { isTTY: stderrIsTTY, write: (text: string) => written.push(text) > 0 };
  return { written, stdout: { isTTY: stdoutIsTTY }, stderr };
}

it("renews one line on a terminal with the state and the time, and leaves nothing behind", () => {
  const { written, ...both } = streams(true, true);
  const progress = createProgress(both);
  progress.run("run_1", { state: "QUERY_STATE_READY" });
  vi.advanceTimersByTime(1_000);
  progress.run("run_1", { state: "QUERY_STATE_RUNNING" });
  vi.advanceTimersByTime(2_000);
  progress.clear();
  progress.clear();
  vi.advanceTimersByTime(5_000);
  const end = "\r\u001b[K";
  expect(written).toEqual([
    "run_1 queued, 0 s",
    `${end}run_1 queued, 1 s`,
    end,
    "run_1 running, 1 s",
    `${end}run_1 running, 2 s`,
    `${end}run_1 running, 3 s`,
    end,
  ]);
});

it("shows a text in place of the state, which is renewed no more", () => {
  const { written, ...both } = streams(true, true);
  const progress = createProgress(both);
  progress.run("run_1", { state: "QUERY_STATE_RUNNING" });
  progress.show("7 rows");
  vi.advanceTimersByTime(5_000);
  progress.clear();
  const end = "\r\u001b[K";
  expect(written).toEqual(["run_1 running, 0 s", end, "7 rows", end]);
});

it("reads the state of a queued run again, until it runs or is over", async () => {
  const { written, ...both } = streams(false, false);
  const progress = createProgress(both, true);
  const found = ["QUERY_STATE_READY", "QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"];
  const readStatus = vi.fn(async () => ({ state: found.shift() ?? "", queuePosition: 2, progress: 0.5 }));
  progress.run("run_1", { state: "QUERY_STATE_READY" }, readStatus);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual(["run_1 queued, 0 s\n", "run_1 running, 2 s\n"]);
  expect(readStatus).toHaveBeenCalledTimes(2);
  progress.run("run_2", { state: "QUERY_STATE_READY" }, readStatus);
  progress.clear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(readStatus).toHaveBeenCalledTimes(2);
});

it("shows the position in the queue and the completed share on a terminal", async () => {
  const { written, ...both } = streams(true, true);
  const progress = createProgress(both);
  const found = [
    { state: "QUERY_STATE_READY", queuePosition: 1 },
    { state: "QUERY_STATE_RUNNING", progress: 0 },
    { state: "QUERY_STATE_RUNNING", progress: 0.426 },
  ];
  const readStatus = async () => found.shift() ?? { state: "QUERY_STATE_RUNNING", progress: 1 };
  progress.run("run_1", { state: "QUERY_STATE_READY", queuePosition: 2 }, readStatus);
  await vi.advanceTimersByTimeAsync(5_000);
  progress.clear();
  const end = "\r\u001b[K";
  expect(written).toEqual([
    "run_1 queued at position 2, 0 s",
    `${end}run_1 queued at position 2, 1 s`,
    `${end}run_1 queued at position 1, 2 s`,
    end,
    "run_1 running, 2 s",
    `${end}run_1 running, 3 s`,
    `${end}run_1 running 42 %, 4 s`,
    `${end}run_1 running 100 %, 5 s`,
    end,
  ]);
});

it.each([
  [false, true],
  [true, false],
  [false, false],
])("is silent where stdout is a terminal: %s, and stderr: %s", (stdoutIsTTY, stderrIsTTY) => {
  const { written, ...both } = streams(stdoutIsTTY, stderrIsTTY);
  createProgress(both).run("run_1", { state: "QUERY_STATE_READY" });
  expect(written).toEqual([]);
});

it("writes a line for each state into a file when it is requested", () => {
  const { written, ...both } = streams(false, false);
  const progress = createProgress(both, true);
  progress.run("run_1", { state: "QUERY_STATE_READY" });
  progress.run("run_1", { state: "QUERY_STATE_READY" });
  vi.advanceTimersByTime(5_000);
  progress.run("run_1", { state: "QUERY_STATE_STREAMING_RESULTS" });
  progress.clear();
  expect(written).toEqual(["run_1 queued, 0 s\n", "run_1 streaming, 5 s\n"]);
});

it.each([
  [312, "0.31 s"],
  [12_900, "12 s"],
  [185_000, "3 min 5 s"],
])("%i ms are %s", (ms, text) => {
  expect(secondsText(ms)).toBe(text);
});

it("shows nothing that is read after it was cleared", async () => {
  const { written, ...both } = streams(false, false);
  const progress = createProgress(both, true);
  const read = Promise.withResolvers<{ state: string }>();
  progress.run("run_1", { state: "QUERY_STATE_READY" }, () => read.promise);
  vi.advanceTimersByTime(1_000);
  progress.clear();
  read.resolve({ state: "QUERY_STATE_RUNNING" });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(written).toEqual(["run_1 queued, 0 s\n"]);
});

it("goes on when the state cannot be read", async () => {
  const { written, ...both } = streams(false, false);
  const progress = createProgress(both, true);
  const readStatus = vi.fn(() => Promise.reject(new Error("no answer")));
  progress.run("run_1", { state: "QUERY_STATE_READY" }, readStatus);
  await vi.advanceTimersByTimeAsync(3_000);
  progress.clear();
  expect([written, readStatus.mock.calls.length]).toEqual([["run_1 queued, 0 s\n"], 3]);
});

it("prints no text if it is not wanted, and keeps no process alive", () => {
  const { written, ...both } = streams(true, true);
  createProgress(both, false).show("stopping");
  expect(written).toEqual([]);
  const set = vi.spyOn(globalThis, "setInterval");
  const progress = createProgress(both);
  progress.run("run_1", { state: "QUERY_STATE_RUNNING" });
  expect(set.mock.results[0]?.value.hasRef()).toBe(false);
  progress.clear();
  set.mockRestore();
});

it.each([
  [0, "0 s"],
  [9_999, "10 s"],
  [9_990, "9.99 s"],
  [10_000, "10 s"],
  [59_999, "59 s"],
  [60_000, "1 min 0 s"],
  [3_661_000, "61 min 1 s"],
])("a time of %i ms is shown as %s", (ms, text) => {
  expect(secondsText(ms)).toBe(text);
});
