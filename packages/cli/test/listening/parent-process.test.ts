import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { npmParent, parentEnd } from "../../src/listening/parent-process.ts";

type StandardInput = NodeJS.Process["stdin"] & PassThrough;
const standardInput = () => new PassThrough() as unknown as StandardInput;
afterEach(() => void vi.restoreAllMocks());

it("is seen to end by its id, and the watch keeps no process alive and ends with it", async () => {
  const set = vi.spyOn(globalThis, "setInterval");
  const clear = vi.spyOn(globalThis, "clearInterval");
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
  await once(child, "spawn");
  let isOver = false;
  const over = parentEnd(child.pid, { stdin: standardInput() }).then(() => {
    isOver = true;
  });
  const timer = set.mock.results.at(-1)?.value;
  expect(timer.hasRef()).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(isOver).toBe(false);
  child.stdin.end();
  await over;
  expect(clear).toHaveBeenCalledWith(timer);
});

it.each(["end", "close"])("is seen to end by the %s of standard input", async (event) => {
  const stdin = standardInput();
  const over = parentEnd("stdin", { stdin });
  if (event === "end") stdin.end("nobody reads it");
  else stdin.destroy();
  await over;
});

it("belongs to another user, and is alive", async () => {
  const denied = Object.assign(new Error("not permitted"), { code: "EPERM" });
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    throw denied;
  });
  const over = vi.fn();
  void parentEnd(1, { stdin: standardInput() }).then(over);
  await expect.poll(() => kill.mock.calls.length, { timeout: 10_000 }).toBeGreaterThan(1);
  expect(over).not.toHaveBeenCalled();
  kill.mockImplementation(() => {
    throw Object.assign(new Error("no such process"), { code: "ESRCH" });
  });
  await expect.poll(() => over.mock.calls.length, { timeout: 10_000 }).toBe(1);
});

it.each([
  ["quern serve", true],
  ["'quern' serve --json", true],
  ['"quern" mock', true],
  ["quern", true],
  ["quernel serve", false],
  ["npm run quern serve", false],
  ["quern serve &", false],
  ["quern serve | tee log", false],
  ["quern serve; echo over", false],
  ["", false],
  [undefined, false],
])("of the script %j is the shell of npm: %s", (npm_lifecycle_script, isParent) => {
  expect(npmParent({ env: { npm_lifecycle_script }, ppid: 7 })).toBe(isParent ? 7 : undefined);
});

it("is polled five times a second, and never without a parent", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  const over = vi.fn();
  void parentEnd(undefined, { stdin: standardInput() }).then(over);
  expect(vi.getTimerCount()).toBe(0);
  void parentEnd(7, { stdin: standardInput() }).then(over);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(kill.mock.calls).toEqual(Array(5).fill([7, 0]));
  expect(over).not.toHaveBeenCalled();
  kill.mockImplementation(() => {
    throw Object.assign(new Error("no such process"), { code: "ESRCH" });
  });
  await vi.advanceTimersByTimeAsync(200);
  expect([over.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
});
