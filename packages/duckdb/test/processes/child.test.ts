import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, expect, it, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { type Child, type ChildOptions, startChild } from "../../src/processes/child.ts";
import { residentBytes } from "../../src/processes/watchdogs.ts";
import { onMachineWith } from "./machine.ts";

const children: Child[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const child of children.splice(0)) child.kill();
});

function start(options: Partial<ChildOptions> = {}): Child {
  const module = new URL("./stubborn.ts", import.meta.url);
  const child = startChild({ module, directory: realpathSync(tmpdir()), maxMemoryBytes: 2_000_000_000, ...options });
  children.push(child);
  return child;
}

it("carries values both ways, bytes as bytes", async () => {
  const value = { bytes: new Uint8Array([1, 2, 255]), big: 2n ** 70n, text: "é" };
  expect(await start().call("echo", value)).toEqual(value);
});

it("reports the progress of a call in order, before its answer", async () => {
  const child = start();
  const reported: unknown[] = [];
  const calls = [1, 2].map((call) =>
    child
      .call("slow", null, undefined, (share) => reported.push([call, share]))
      .then((answer) => reported.push([call, answer])),
  );
  await Promise.all(calls);
  for (const call of [1, 2])
    expect(reported.filter((each) => Array.isArray(each) && each[0] === call)).toEqual([
      [call, 0.25],
      [call, 0.5],
      [call, "done"],
    ]);
});

it("has its own directory and nothing of the server's environment", async () => {
  const environment = await start().call("environment", null);
  expect(environment).toMatchObject({ cwd: realpathSync(tmpdir()) });
  expect(environment).not.toHaveProperty("PATH");
  expect(environment).not.toHaveProperty("HOME");
});

it("is interrupted by an abort, and serves other calls afterwards", async () => {
  const child = start({ interruptGraceMs: 60_000 });
  await child.ready;
  await expect(child.call("obedient", null, AbortSignal.timeout(10))).rejects.toThrow("it was asked to give up");
  expect(await child.call("echo", 1)).toBe(1);
});

it("is killed if it does not answer within the grace time", async () => {
  const child = start({ interruptGraceMs: 10 });
  await child.ready;
  await expect(child.call("never", null, AbortSignal.timeout(10))).rejects.toThrow("SIGKILL");
});

it("is killed if it answers no ping, and not while it works", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const child = start();
  await child.ready;
  const call = child.call("never", null);
  call.catch(() => {}); // awaited below
  for (let asked = 0; asked < 10; asked += 1) {
    vi.advanceTimersByTime(10_000);
    expect(await child.call("echo", asked)).toBe(asked); // earlier messages are answered earlier
  }
  process.kill(child.pid, "SIGSTOP");
  vi.advanceTimersByTime(30_000);
  expect(child.hasEnded).toBe(false);
  vi.advanceTimersByTime(10_000);
  await expect(call).rejects.toThrow("it answered no ping");
});

it.each([
  ["the limit", 20_000_000, undefined],
  ["a later limit", 1e12, 20_000_000],
])("is killed if its files exceed %s together, however small each is", async (_, maxDirectoryBytes, later) => {
  const directory = await temporaryDirectory();
  const module = new URL("./confined.ts", import.meta.url);
  const child = start({ module, directory, maxDirectoryBytes });
  if (later !== undefined) child.limitDirectory(later);
  const failure = {
    name: "LimitExceeded",
    message: expect.stringContaining("20 MB of disk space"),
    data: { category: "RESOURCE" },
  };
  await expect(child.call("fill", 100_000)).rejects.toMatchObject({ name: "StatementError", failure });
  await rm(directory, { recursive: true, force: true });
});

it("fails its calls with the cause when it ends", async () => {
  const child = start();
  const lost = { name: "EngineLostError", message: expect.stringMatching(/SIGTERM/) };
  await expect(child.call("crash", null)).rejects.toMatchObject(lost);
  await expect(child.call("echo", null)).rejects.toThrow(/SIGTERM/);
});

/** Runs a process that starts a child, and then runs `then`. */
function parentProcess(module: string, maxMemoryBytes: number, then: string, env: Record<string, string> = {}) {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const source = `
    import { startChild } from ${url("../../src/processes/child.ts")};
    const child = startChild({ module: new URL(${url(module)}), directory: "/tmp", maxMemoryBytes: ${maxMemoryBytes} });
    ${then}`;
  const options = { encoding: "utf8", env: { ...process.env, ...env } } as const;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", source], options);
}

onMachineWith("memory-watchdog")("is killed for its memory on a system without kernel limits", () => {
  const then = "await child.call('grow', null).catch(({ failure }) => console.log(JSON.stringify(failure)));";
  const { stdout } = parentProcess("./confined.ts", 300_000_000, then, { PATH: "/nowhere" });
  expect(JSON.parse(stdout)).toMatchObject({
    name: "LimitExceeded",
    message: expect.stringContaining("more than 300 MB of memory"),
    data: { category: "RESOURCE" },
  });
});

it("ends with its parent, even if the parent is killed", async () => {
  const then = `await child.ready;
    void child.call("never", null).catch(() => {});
    console.log(child.pid);
    process.kill(process.pid, "SIGKILL");`;
  const parent = parentProcess("./stubborn.ts", 2_000_000_000, then);
  expect(parent.signal).toBe("SIGKILL");
  const pid = Number(parent.stdout.trim());
  expect(pid).toBeGreaterThan(0);
  await eventually(() => residentBytes(pid) === undefined);
});
