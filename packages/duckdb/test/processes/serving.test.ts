import { StatementError } from "@quern/adapter";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { diskFullFailure } from "../../src/processes/disk-full.ts";
import {
  type ChildMessage,
  type ParentMessage,
  serveParent,
  type TaskHandler,
  toFailure,
} from "../../src/processes/serving.ts";

const listeners = new Map<string | symbol, (message?: ParentMessage) => void>();
let sent: ChildMessage[];
const { send, connected } = process;
beforeEach(() => {
  sent = [];
  vi.spyOn(process, "on").mockImplementation((event: string | symbol, listener: () => void) => {
    listeners.set(event, listener);
    return process;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  listeners.clear();
});

/** Runs a step of the child, as a process with this channel to its parent. */
async function inChild(step: () => void | Promise<void>, isConnected = true): Promise<ChildMessage[]> {
  Object.assign(process, { send: (message: ChildMessage) => sent.push(message), connected: isConnected });
  try {
    await step();
    for (let later = 0; later < 10; later += 1) await Promise.resolve();
  } finally {
    Object.assign(process, { send, connected });
  }
  return sent.splice(0);
}
const receive = (message: ParentMessage) => inChild(() => listeners.get("message")?.(message));
const call = (id: number, task: string, argument: unknown = null) => receive({ type: "call", id, task, argument });

it("says that it is ready, and answers each call with its value or failure", async () => {
  const own = { name: "Own", message: "m", data: { category: "USER" as const } };
  const handlers: Record<string, TaskHandler> = {
    twice: async (argument) => Number(argument) * 2,
    report: async (_argument, _signal, report) => report(0.5),
    fail: () => Promise.reject(new StatementError(own)),
  };
  expect(await inChild(() => serveParent(handlers))).toEqual([{ type: "ready" }]);
  expect(await call(1, "twice", 21)).toEqual([{ type: "value", id: 1, value: 42 }]);
  expect(await call(2, "report")).toEqual([
    { type: "progress", id: 2, share: 0.5 },
    { type: "value", id: 2, value: undefined },
  ]);
  expect(await call(3, "fail")).toEqual([{ type: "failure", id: 3, failure: own }]);
  const failure = { name: "InternalError", message: "Unknown task: none", data: { category: "INTERNAL" } };
  expect(await call(4, "none")).toEqual([{ type: "failure", id: 4, failure }]);
  expect(await receive({ type: "ping" })).toEqual([{ type: "pong" }]);
});

it("aborts the signal of the call that is interrupted, while it runs", async () => {
  const signals: AbortSignal[] = [];
  const ends: (() => void)[] = [];
  const wait: TaskHandler = (_, signal) => {
    signals.push(signal);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  await inChild(() => serveParent({ wait }));
  for (const id of [1, 2]) expect(await call(id, "wait")).toEqual([]);
  expect(await receive({ type: "interrupt", id: 2 })).toEqual([]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  const answers = await inChild(() => {
    for (const end of ends) end();
  });
  expect(answers.map((answer) => "id" in answer && answer.id)).toEqual([1, 2]);
  for (const id of [1, 3]) await receive({ type: "interrupt", id });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});

it("ends with its parent, and sends nothing to a parent that has ended", async () => {
  expect(await inChild(() => serveParent({}), false)).toEqual([]);
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  listeners.get("disconnect")?.();
  expect(kill.mock.calls).toEqual([[process.pid, "SIGKILL"]]);
});

it.each([
  [new Error("odd"), "odd"],
  ["text", "text"],
])("converts %o to a failure of the process", (error, message) => {
  expect(toFailure(error)).toEqual({ name: "InternalError", message, data: { category: "INTERNAL" } });
});

it("reports a full disk, also one that a statement reports", () => {
  const message = "No space left on device";
  const failure = { name: "IOError", message, data: { category: "DATA_SOURCE" as const } };
  expect([new Error(message), new StatementError(failure)].map(toFailure)).toEqual([diskFullFailure, diskFullFailure]);
});
