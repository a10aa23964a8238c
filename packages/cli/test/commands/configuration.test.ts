import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runTimeoutSeconds } from "../../src/run/flags.ts";
import { quern } from "../quern.ts";

async function settings(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout } = await quern(["configuration", "--json", ...words], env);
  const rows: readonly Record<string, unknown>[] = JSON.parse(stdout);
  return Object.fromEntries(rows.map(({ name, ...row }) => [String(name), row]));
}

it("shows each setting with its value, unit and variable, from the flags over the environment over the file", async () => {
  const config = join(await mkdtemp(join(tmpdir(), "quern-configuration-")), "quern.json");
  await writeFile(config, JSON.stringify({ limits: { maxBatch: 10, maxDepth: 20, maxQueuedRuns: 30 }, port: 1 }));
  const shown = await settings(["--config", config, "--set", "limits.maxBatch=12"], { QUERN_LIMITS_MAX_DEPTH: "21" });
  expect(shown["limits.maxBatch"]).toEqual({
    value: 12,
    unit: "calls",
    origin: "set",
    variable: "QUERN_LIMITS_MAX_BATCH",
    meaning: "Maximum number of calls in a batch; the service refuses a larger batch as a whole.",
  });
  expect(shown["limits.maxDepth"]).toMatchObject({ value: 21, origin: "set" });
  expect(shown["limits.maxQueuedRuns"]).toMatchObject({ value: 30 });
  expect(shown["limits.maxRunningRuns"]).toMatchObject({
    value: "the number of processors; `maxMemoryMegabytes` divided by 500 if that is less",
    origin: "default",
  });
  expect(shown.port).toMatchObject({ value: 1, variable: "QUERN_PORT", unit: null });
  expect(shown.host).toMatchObject({ value: "127.0.0.1", origin: "default", meaning: "Address to listen on." });
  expect(shown.dataDir).toMatchObject({ value: "quern-data", origin: "default" });
  expect(shown.logLevel).toMatchObject({ value: "warn", origin: "default" });
  expect(shown.metrics).toMatchObject({ value: "loopback", origin: "default" });
});

it("refuses settings that the service refuses", async () => {
  const { status, stderr } = await quern(["configuration", "--set", "limits.maxBatch=many"]);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("/limits/maxBatch") });
});

it("says why the file of settings cannot be read", async () => {
  const { status, stderr } = await quern(["configuration", "--config", tmpdir()]);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/^quern: cannot read the configuration file: EISDIR: .*; pass a JSON file/),
  });
});

it("has the default of a statement's timeout as the longest wait of a command", async () => {
  expect((await settings([]))["limits.statementTimeoutSeconds"]).toMatchObject({ value: runTimeoutSeconds });
});
