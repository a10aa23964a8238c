import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { firstLine, quern, spawnQuern } from "../quern.ts";

const env = { PATH: process.env.PATH ?? "" };

// Only Linux has a folder in which Node creates directories without end.
it.runIf(process.platform === "linux")("fails at once if the data directory cannot be created", async () => {
  for (const words of [
    ["serve", "--port", "0"],
    ["keys", "issue"],
  ]) {
    const { status, stderr } = await spawnQuern([...words, "--data-dir", "/proc/x/y"], env).ended;
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("The data directory /proc/x/y cannot be created: ENOENT"),
    ]);
  }
});

const hasSignals = process.platform !== "win32";

it.runIf(hasSignals)("opens no debugger at SIGUSR1, and logs its start and its end", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "quern-serve-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const words = ["serve", "--port", "0", "--data-dir", dataDir, "--json", "--set", "logLevel=info"];
  const started = spawnQuern(words, env);
  const { url } = JSON.parse(await firstLine(started));
  started.signal("SIGUSR1");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  started.signal("SIGTERM");
  const { status, stderr } = await started.ended;
  expect(stderr).not.toMatch(/[Dd]ebugger/);
  const messages = stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  expect([status, messages.map(({ msg }) => msg).filter((msg) => msg.startsWith("service"))]).toEqual([
    0,
    ["service started", "service drains", "service stopped"],
  ]);
});

it("says that a JDBC URL is not supported", async () => {
  const { status, stderr } = await quern(["sources", "add", "lake", "jdbc:trino://h:8080/hive?password=secret"], env);
  expect([status, stderr]).toEqual([2, expect.stringMatching(/JDBC URLs are not supported; remove jdbc:/)]);
  expect(stderr).not.toContain("secret");
});
