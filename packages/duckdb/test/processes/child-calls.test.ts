import { EventEmitter } from "node:events";
import { EngineLostError, StatementError } from "@quern/adapter";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Child, ChildOptions } from "../../src/processes/child.ts";
import type { ChildMessage, ParentMessage } from "../../src/processes/serving.ts";

type Done = (error: Error | null) => void;
/** No process has this number. */
const nobody = 2 ** 22 + 1;

class FakeProcess extends EventEmitter {
  pid: number | undefined = nobody;
  readonly sent: ParentMessage[] = [];
  fault: Error | null = null;
  send(message: ParentMessage, done: Done): void {
    this.sent.push(message);
    done(this.fault);
  }
  answer(message: ChildMessage): void {
    this.emit("message", message);
  }
}

let process_: FakeProcess;
let launched: unknown[][];
let kills: number;
vi.mock("../../src/processes/launch.ts", () => ({
  launch: (...options: unknown[]) => {
    launched.push(options);
    return process_;
  },
  killLaunched: () => {
    kills += 1;
  },
}));
// Another test file in this process may have loaded the modules without the mock.
vi.resetModules();
const { startChild, siblingModule } = await import("../../src/processes/child.ts");
const { childCounts } = await import("../../src/processes/child-counts.ts");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
  process_ = new FakeProcess();
  launched = [];
  kills = 0;
});
afterEach(() => {
  process_.emit("exit", 0, null);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const module = new URL("file:///module.ts");
function start(options: Partial<ChildOptions> = {}): Child {
  const child = startChild({ module, directory: "/nowhere", maxMemoryBytes: 2_000_000, ...options });
  process_.answer({ type: "ready" });
  return child;
}
/** Lets the promises of a call proceed. */
const flushPromises = () => new Promise<void>((resolve) => setImmediate(resolve));
const lost = (cause: string) => new EngineLostError(cause);
const busy = (kind: string) =>
  childCounts()
    .filter((count) => count.kind === kind)
    .map(({ count }) => count);

it("sends each task with an id of its own, and answers the calls in any order", async () => {
  const child = start();
  expect(launched).toEqual([[module, "/nowhere", { module, directory: "/nowhere", maxMemoryBytes: 2_000_000 }]]);
  expect(child.pid).toBe(nobody);
  const calls = [child.call("one", { a: 1 }), child.call("other", null)];
  await flushPromises();
  expect(process_.sent).toEqual([
    { type: "call", id: 1, task: "one", argument: { a: 1 } },
    { type: "call", id: 2, task: "other", argument: null },
  ]);
  const failure = { name: "Own", message: "m" } as never;
  process_.answer({ type: "failure", id: 2, failure });
  process_.answer({ type: "value", id: 1, value: 7 });
  process_.answer({ type: "value", id: 9, value: "of no call" });
  process_.answer({ type: "failure", id: 9, failure });
  process_.answer({ type: "progress", id: 1, share: 0.5 });
  await expect(calls[1]).rejects.toEqual(new StatementError(failure));
  expect(await calls[0]).toBe(7);
});

it("reports the progress of the call, and of no other", async () => {
  const child = start();
  const reported: unknown[] = [];
  const calls = [1, 2].map((call) => child.call("t", null, undefined, (share) => reported.push([call, share])));
  const silent = child.call("t", null);
  await flushPromises();
  for (const id of [2, 1, 3]) process_.answer({ type: "progress", id, share: id / 10 });
  expect(reported).toEqual([
    [2, 0.2],
    [1, 0.1],
  ]);
  for (const id of [1, 2, 3]) process_.answer({ type: "value", id, value: id });
  expect(await Promise.all([...calls, silent])).toEqual([1, 2, 3]);
});

it.each([
  [undefined, 2_000],
  [500, 500],
])("interrupts an aborted call, and kills the process after the grace time %s", async (interruptGraceMs, ms) => {
  const child = start(interruptGraceMs === undefined ? {} : { interruptGraceMs });
  const caller = new AbortController();
  const call = child.call("t", null, caller.signal);
  await flushPromises();
  const timers = vi.getTimerCount();
  caller.abort();
  expect(process_.sent.slice(1)).toEqual([{ type: "interrupt", id: 1 }]);
  vi.advanceTimersByTime(ms - 1);
  expect([kills, vi.getTimerCount()]).toEqual([0, timers]);
  vi.advanceTimersByTime(1);
  expect(kills).toBe(1);
  process_.emit("exit", null, "SIGKILL");
  await expect(call).rejects.toEqual(lost("the process was ended by SIGKILL"));
});

it("kills no process that answers within the grace time, and does not interrupt an ended call", async () => {
  const child = start();
  const [aborted, ended] = [new AbortController(), new AbortController()];
  const calls = [child.call("t", null, aborted.signal), child.call("t", null, ended.signal)];
  await flushPromises();
  const timers = vi.getTimerCount();
  aborted.abort();
  for (const id of [1, 2]) process_.answer({ type: "value", id, value: id });
  expect(await Promise.all(calls)).toEqual([1, 2]);
  expect(vi.getTimerCount()).toBe(timers);
  ended.abort();
  expect(process_.sent.map(({ type }) => type)).toEqual(["call", "call", "interrupt"]);
});

it("sends nothing for a signal that is aborted before", async () => {
  await expect(start().call("t", null, AbortSignal.abort("gone"))).rejects.toBe("gone");
  expect(process_.sent).toEqual([]);
});

it("sends a call only when the process is ready", async () => {
  const child = startChild({ module, directory: "/nowhere", maxMemoryBytes: 1 });
  const call = child.call("t", null);
  await flushPromises();
  expect(process_.sent).toEqual([]);
  process_.emit("exit", 3, null);
  await expect(call).rejects.toEqual(lost("the process exited with code 3"));
  await expect(child.ready).rejects.toEqual(lost("the process exited with code 3"));
  expect(process_.sent).toEqual([]);
});

it.each<[string, unknown[], string]>([
  ["exit", [3, null], "the process exited with code 3"],
  ["exit", [null, "SIGTERM"], "the process was ended by SIGTERM"],
  ["error", [new Error("no program")], "the process could not be started: no program"],
])("fails all calls and later ones after the event %s %j", async (event, values, cause) => {
  const child = start({ kind: "copy" });
  const calls = [child.call("t", null), child.call("t", null)];
  await flushPromises();
  expect([child.hasEnded, busy("copy")]).toEqual([false, [1, 0]]);
  process_.emit(event, ...values);
  process_.emit("exit", 9, null); // a process that cannot be started can emit both
  for (const call of [...calls, child.call("t", null)]) await expect(call).rejects.toEqual(lost(cause));
  expect([await child.ended, child.hasEnded, process_.sent.length]).toEqual([cause, true, 2]);
  expect([busy("copy"), vi.getTimerCount()]).toEqual([[0, 0], 0]);
});

it("fails a call that becomes ready as the process ends", async () => {
  const child = start();
  const call = child.call("t", null);
  process_.emit("exit", 1, null);
  await expect(call).rejects.toEqual(lost("the process exited with code 1"));
  expect(process_.sent).toEqual([]);
});

it("counts as idle and as other work by default", () => {
  start();
  expect(busy("other")).toEqual([0, 1]);
});

it.each([
  [7, "the process used more than 7 s of processor time"],
  [undefined, "the process used too much processor time"],
])("reports the limit %s of processor time", async (maxProcessorSeconds, cause) => {
  const call = start({ maxProcessorSeconds }).call("t", null);
  await flushPromises();
  process_.emit("exit", null, "SIGXCPU");
  const message = `Limit exceeded: ${cause}; query less data.`;
  const failure = { name: "LimitExceeded", message, data: { category: "RESOURCE", retryable: true } } as const;
  await expect(call).rejects.toEqual(new StatementError(failure));
});

it("is killed if it does not answer pings, and not while it does", async () => {
  const child = start();
  for (let ping = 0; ping < 5; ping += 1) {
    vi.advanceTimersByTime(10_000);
    process_.answer({ type: "pong" });
  }
  expect(process_.sent).toEqual(Array(5).fill({ type: "ping" }));
  vi.advanceTimersByTime(30_000);
  expect(kills).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(kills).toBe(1);
  process_.emit("exit", null, "SIGKILL");
  expect(await child.ended).toBe("the process was killed because it answered no ping");
});

it("is killed if a message cannot be sent", () => {
  start();
  vi.advanceTimersByTime(10_000);
  expect(kills).toBe(0);
  process_.fault = new Error("EPIPE");
  vi.advanceTimersByTime(10_000);
  expect(kills).toBe(1);
});

it.runIf(process.platform === "linux")("is killed for its memory, and its calls fail with the limit", async () => {
  process_.pid = process.pid;
  const call = start().call("t", null);
  await flushPromises();
  vi.advanceTimersByTime(100);
  expect(kills).toBe(1);
  process_.emit("exit", null, "SIGKILL");
  await expect(call).rejects.toMatchObject({
    failure: { message: "Limit exceeded: the process used more than 2 MB of memory; query less data." },
  });
});

it("is counted in the budget of all processes until it ends", async () => {
  const stop = vi.fn();
  const add = vi.fn((_pid: number, _onExceeded: () => void) => stop);
  const call = start({ memory: { maxBytes: 3_400_000, add } }).call("t", null);
  await flushPromises();
  expect(add.mock.calls.map(([pid]) => pid)).toEqual([nobody]);
  add.mock.calls[0]?.[1]();
  expect([kills, stop.mock.calls.length]).toEqual([1, 0]);
  process_.emit("exit", null, "SIGKILL");
  expect(stop).toHaveBeenCalledOnce();
  const all = "all processes of the service together used more than 3 MB of memory, and this one used the most";
  const message = `Limit exceeded: ${all}; query less data, or try again when fewer queries run.`;
  await expect(call).rejects.toMatchObject({ failure: { message } });
});

it("watches its disk space only while it runs and has a limit", () => {
  const child = start();
  const timers = vi.getTimerCount(); // of the memory and the pings
  child.limitDirectory(5);
  expect(vi.getTimerCount()).toBe(timers + 1);
  child.limitDirectory(6);
  expect(vi.getTimerCount()).toBe(timers + 1);
  process_.emit("exit", 0, null);
  child.limitDirectory(7);
  expect(vi.getTimerCount()).toBe(0);
});

it("names the module beside the one of the caller, with the same ending", () => {
  expect(siblingModule("./worker", "file:///a/b/c.js").href).toBe("file:///a/b/worker.js");
  expect(siblingModule("../serving", "file:///a/src/b/c.ts").href).toBe("file:///a/src/serving.ts");
  expect(siblingModule("./copy-worker", "file:///a/src/b/c.ts").href).toBe("file:///a/dist/b/copy-worker.js");
});
