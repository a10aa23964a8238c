import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { constants, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../../server/test/fixture.ts";
import { type Child, startChild } from "../../src/processes/child.ts";
import { residentBytes, watchMemory } from "../../src/processes/watchdogs.ts";
import { onMachineWith } from "./machine.ts";

let child: Child | undefined;
afterEach(() => child?.kill());

function start(limits: Partial<Parameters<typeof startChild>[0]> = {}): Child {
  const module = new URL("./confined.ts", import.meta.url);
  child = startChild({ module, directory: realpathSync(tmpdir()), maxMemoryBytes: 2_000_000_000, ...limits });
  return child;
}

onMachineWith("out-of-memory")("is ended before the server if no memory is left, and has no __proto__", async () => {
  const { pid, ready } = start({ priority: "low" });
  await ready;
  expect(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim()).toBe("500");
  expect(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")).toContain("--disable-proto=delete");
  const nice = `nice ${Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW)}`;
  const group = await readFile(`/proc/${pid}/autogroup`, "utf8").catch(() => nice); // not on each kernel
  expect(group.trim().endsWith(nice)).toBe(true);
});

onMachineWith("limits")("limits a process from outside", async () => {
  const text = await start({ maxMemoryBytes: 1_900_000_000, maxFileBytes: 3_000_000, maxProcessorSeconds: 50 }).call(
    "read",
    "/proc/self/limits",
  );
  expect(text).toMatch(/^Max data size +1900000000 +1900000000 /m);
  expect(text).toMatch(/^Max file size +3000000 +3000000 /m);
  expect(text).toMatch(/^Max cpu time +50 +55 /m);
  expect(text).toMatch(/^Max open files +1024 +1024 /m);
  expect(text).toMatch(/^Max core file size +0 +0 /m);
});

onMachineWith("limits")("fails a write beyond the file size limit, and serves other calls afterwards", async () => {
  const process = start({ maxFileBytes: 1_000_000 });
  await expect(process.call("write", 2_000_000)).rejects.toThrow("EFBIG");
  expect(await process.call("write", 900_000)).toBe(900_000);
});

it.each([
  [undefined, 0],
  ["normal", 0],
  ["reduced", 5],
  ["low", 10],
] as const)("runs with the priority %s", async (priority, niceness) => {
  const process = start({ ...(priority && { priority }) });
  await process.ready;
  expect(getPriority(process.pid)).toBe(Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW));
});

onMachineWith("no-network")("has no network", async () => {
  const interfaces = String(await start().call("read", "/proc/net/dev")).match(/^\s*[^\s:|]+(?=:)/gm);
  expect(interfaces?.map((name) => name.trim())).toEqual(["lo"]);
  expect(await start().call("connect", "1.1.1.1")).toMatch(/ENETUNREACH|EHOSTUNREACH/);
});

onMachineWith("no-privileges")("gains no privileges", async () => {
  expect(await start().call("read", "/proc/self/status")).toMatch(/^NoNewPrivs:\s+1$/m);
});

onMachineWith("landlock")("changes files below its directory only, and executes no other program", async () => {
  const [own, other] = [mkdtempSync(join(tmpdir(), "quern-own-")), mkdtempSync(join(tmpdir(), "quern-other-"))];
  try {
    chmodSync(other, 0o777);
    writeFileSync(join(other, "kept"), "kept");
    const process = start({ directory: own });
    const created = join(own, "created");
    expect(await process.call("create", created)).toBe(created);
    expect(await process.call("read", join(other, "kept"))).toBe("kept");
    for (const name of ["created", "kept"])
      await expect(process.call("create", join(other, name))).rejects.toThrow("EACCES");
    await expect(process.call("remove", join(other, "kept"))).rejects.toThrow("EACCES");
    expect(await process.call("execute", "/bin/true")).toBe("Error: spawn /bin/true EACCES");
    expect(readdirSync(other)).toEqual(["kept"]);
  } finally {
    for (const folder of [own, other]) rmSync(folder, { recursive: true });
  }
});

onMachineWith("process-group")("is killed with the processes that it has started", async () => {
  const process = start();
  const pid = Number(await process.call("start", null));
  expect(residentBytes(pid)).toBeGreaterThan(0);
  process.kill();
  await eventually(() => residentBytes(pid) === undefined);
});

it("is watched from outside, and killed for its memory", async () => {
  const process = spawn("sleep", ["60"]);
  watchMemory(process.pid ?? 0, 1_000, () => process.kill("SIGKILL"));
  expect(await once(process, "exit")).toEqual([null, "SIGKILL"]);
});
