import { chmod, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxing } from "@quern/duckdb";
import { expect, it } from "vitest";
import { quern, spawnQuern } from "../quern.ts";

const layers = [
  "limits",
  "memory-watchdog",
  "no-network",
  "no-privileges",
  "no-capabilities",
  "landlock",
  "out-of-memory",
  "process-group",
  "user",
];
const hasLandlock = sandboxing().layers.some(({ name, isPresent }) => name === "landlock" && isPresent);
const folder = () => mkdtemp(join(tmpdir(), "quern-doctor-"));

it("prints each sandbox layer and the disk, and exits with 4 if a check fails", async () => {
  const { status, stdout, stderr } = await quern(["doctor", "--data-dir", join(await folder(), "not yet")]);
  const rows: { check: string; ok: boolean | null; meaning: string }[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect({ checks: rows.map(({ check }) => check), stderr }).toEqual({
    checks: [...layers, "disk", "data-directory", "sources"],
    stderr: "",
  });
  expect(rows.at(-2)).toMatchObject({ ok: true, meaning: expect.stringMatching(/^No data directory: .*not yet; /) });
  expect(rows.at(-3)?.meaning).toMatch(/^[\d.]+ % of the disk is used, [\d.]+ GB are free\./);
  expect(status ?? 0).toBe(rows.every(({ ok }) => ok !== false) ? 0 : 4);
  // A missing layer that the strict sandbox does not require is neither passed nor failed.
  expect(rows.flatMap(({ check, ok }) => (ok === null ? [check] : []))).toEqual(hasLandlock ? [] : ["landlock"]);
});

it("checks the disk by the settings of the service, and reports a data directory that others can read", async () => {
  const dataDir = await folder();
  await chmod(dataDir, 0o755);
  const config = join(await folder(), "quern.json");
  await writeFile(config, JSON.stringify({ dataDir, limits: { maxDiskShare: 0.001 } }));
  const { status, stdout } = await quern(["doctor", "--config", config, "--format", "csv"]);
  expect(status).toBe(4);
  expect(stdout).toMatch(/^disk,false,.*No run starts above [\d.]+ %: free space, or raise limits.maxDiskShare/m);
  expect(stdout).toMatch(/^data-directory,false,.*chmod 700 /m);
  await chmod(dataDir, 0o750);
  expect((await quern(["doctor", "--config", config, "--format", "csv"])).stdout).toMatch(/^data-directory,true,/m);
});

it("does not serve behind a strict sandbox where the machine lacks the programs for it", async () => {
  const dataDir = await folder();
  const words = ["serve", "--strict-sandbox", "--port", "0", "--data-dir", dataDir];
  const { status, stderr } = await spawnQuern(words, { PATH: dataDir }).ended;
  expect(status).toBe(2);
  expect(stderr).toMatch(/lacks layers .*limits: .*no-network: .*no-privileges: /);
  expect(stderr).not.toContain("process-group");
  expect(await readdir(dataDir)).toEqual([]);
});
