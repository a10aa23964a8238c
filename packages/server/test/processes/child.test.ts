import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, expect, it } from "vitest";
import { type Child, startChild } from "../../src/processes/child.ts";
import { eventually } from "../fixture.ts";

const children: Child[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

function start(): Child {
  const module = new URL("./stubborn.ts", import.meta.url);
  const child = startChild({ module, directory: realpathSync(tmpdir()), maxMemoryBytes: 2_000_000_000 });
  children.push(child);
  return child;
}

it("carries values both ways, bytes as bytes", async () => {
  const value = { bytes: new Uint8Array([1, 2, 255]), big: 2n ** 70n, text: "é" };
  expect(await start().call("echo", value)).toEqual(value);
});

it("has its own directory and nothing of the server's environment", async () => {
  const environment = await start().call("environment", null);
  expect(environment).toMatchObject({ cwd: realpathSync(tmpdir()) });
  expect(environment).not.toHaveProperty("PATH");
  expect(environment).not.toHaveProperty("HOME");
});

it("is killed when it does not give up in time", async () => {
  const child = start();
  await child.ready;
  const begin = performance.now();
  await expect(child.call("never", null, AbortSignal.timeout(100))).rejects.toThrow("SIGKILL");
  expect(performance.now() - begin).toBeGreaterThan(2_000);
  expect(performance.now() - begin).toBeLessThan(6_000);
});

it("fails its calls when it dies, and says how", async () => {
  const child = start();
  await expect(child.call("crash", null)).rejects.toThrow(/SIGTERM/);
  await expect(child.call("echo", null)).rejects.toThrow(/SIGTERM/);
});

it("ends with its parent, however that ends", async () => {
  const source = `
    import { startChild } from ${JSON.stringify(new URL("../../src/processes/child.ts", import.meta.url).href)};
    const child = startChild({ module: new URL(${JSON.stringify(new URL("./stubborn.ts", import.meta.url).href)}), directory: "/tmp", maxMemoryBytes: 2e9 });
    await child.ready;
    void child.call("never", null).catch(() => {});
    console.log(child.pid);
    process.kill(process.pid, "SIGKILL");
  `;
  const parent = spawnSync(process.execPath, ["--input-type=module", "--eval", source], { encoding: "utf8" });
  expect(parent.signal).toBe("SIGKILL");
  const pid = Number(parent.stdout.trim());
  expect(pid).toBeGreaterThan(0);
  await eventually(() => !isAlive(pid));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
