import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { withFakePackages } from "../fake-packages.ts";

class AdministrationError extends Error {}

const packages: Record<string, object> = {};
const { calls, fake, quern, startQuern } = withFakePackages(packages);
const dataDir = resolve("quern-data");

/** Sets the results of functions of the administration, by their names. */
function administration(results: Readonly<Record<string, unknown>>): void {
  const functions = Object.entries(results).map(([name, result]) => [name, fake(name, result)]);
  packages["@quern/server/administration"] = { AdministrationError, ...Object.fromEntries(functions) };
}

describe("quern migrate-store", () => {
  const kinds = [
    { kind: "usage", source: 1_234, target: 1_234, isEqual: true },
    { kind: "usedLinks", source: 2, target: 1, isEqual: false },
  ];
  const report = { isEqual: true, kinds, differences: [], missingResults: 0 };
  const onProgress = expect.any(Function);

  it("copies to the places of its flags", async () => {
    administration({ migrateStore: report });
    const words = ["--to-store", "postgres://h/d", "--to-store-password-file", "p", "--to-results", "s3://b"];
    expect(await quern(["migrate-store", ...words, "--to-data-dir", "other"])).toEqual({
      status: 0,
      stdout: "months of usage 1,234 moved, 1,234 checked\nused links 2 moved, 1 checked: they differ\n",
      stderr: "",
    });
    const target = { store: "postgres://h/d", storePasswordFile: "p", results: "s3://b", dataDir: resolve("other") };
    expect(calls).toEqual([["migrateStore", { source: dataDir, target, check: false, onProgress }]]);
  });

  it("names each kind of record", async () => {
    const words = {
      tenants: "tenants",
      keys: "keys",
      settings: "settings",
      usage: "months of usage",
      usedLinks: "used links",
      statements: "statements",
      runs: "runs",
      requests: "requests",
      idempotencyKeys: "idempotency keys",
      results: "results",
    };
    const all = Object.keys(words).map((kind) => ({ kind, source: 1, target: 1, isEqual: true }));
    administration({ migrateStore: { ...report, kinds: all } });
    const lines = Object.values(words).map((word) => `${word} 1 moved, 1 checked\n`);
    expect((await quern(["migrate-store"])).stdout).toBe(lines.join(""));
  });

  it("only compares with --check, and exits with 1 if something differs", async () => {
    const differences = [{ kind: "keys", id: "key_1", fault: "missing" }];
    administration({ migrateStore: { ...report, isEqual: false, differences, missingResults: 1_000 } });
    expect(await quern(["migrate-store", "--check"])).toEqual({
      status: 1,
      stdout: "months of usage 1,234 checked\nused links 2 checked: they differ\n",
      stderr: [
        'keys: missing in the target: "key_1"',
        "the source or the target has changed since it was copied; copy the source to an empty target",
        "results that the source no longer has: 1,000; calls that read them get QueryRunResultsExpired\n",
      ].join("\n"),
    });
    expect(calls).toEqual([["migrateStore", { source: dataDir, target: {}, check: true, onProgress }]]);
    const json = await quern(["migrate-store", "--json"]);
    expect([JSON.parse(json.stdout), json.stderr, json.status]).toMatchObject([{ missingResults: 1_000 }, "", 1]);
  });

  it("shows its progress once a second", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const steps: readonly (readonly [at: number, kind: string, count: number])[] = [
      [999, "runs", 1],
      [1_000, "runs", 2_000],
      [1_999, "runs", 3],
      [2_000, "idempotencyKeys", 4],
    ];
    const migrateStore = async (options: { onProgress: (kind: string, count: number) => void }) => {
      for (const [at, kind, count] of steps) {
        now.mockReturnValue(at);
        options.onProgress(kind, count);
      }
      return report;
    };
    packages["@quern/server/administration"] = { AdministrationError, migrateStore };
    const end = "\r\u001b[K";
    const shown = startQuern(["migrate-store"], {}, "", { columns: 80 });
    expect((await shown.ended).stderr).toBe(`runs: 2,000${end}idempotency keys: 4${end}`);
    const silent = startQuern(["migrate-store", "--json"], {}, "", { columns: 80 });
    expect((await silent.ended).stderr).toBe("");
  });

  it.each([
    ["what it copied", []],
    ["the abandoned results", ["--abandon-results"]],
  ])("waits for a slow reader of %s", async (_, words) => {
    administration({ migrateStore: { ...report, missingResults: 1 }, abandonResults: "s3://empty" });
    const { stdout, stderr, ended } = startQuern(["migrate-store", ...words]);
    const write = vi.fn(() => false); // the buffer is full until `drain`
    Object.assign(stdout, { write });
    const order: string[] = [];
    stderr.once("data", () => order.push("stderr"));
    const end = ended.then(() => order.push("end"));
    await vi.waitFor(() => expect(write).toHaveBeenCalledOnce());
    await setImmediate();
    order.push("drain");
    stdout.emit("drain");
    await end;
    expect(order).toEqual(["drain", ...(words.length === 0 ? ["stderr"] : []), "end"]);
  });

  it("abandons the results of a lost bucket", async () => {
    administration({ abandonResults: "s3://empty" });
    const text = "the results are in s3://empty; those in other locations expire when a caller reads them\n";
    expect(await quern(["migrate-store", "--abandon-results"])).toEqual({ status: 0, stdout: text, stderr: "" });
    const { stdout } = await quern(["migrate-store", "--abandon-results", "--json"]);
    expect(stdout).toBe('{"results":"s3://empty"}\n');
    expect(calls).toEqual(Array(2).fill(["abandonResults", dataDir]));
  });

  it.each([
    ["--check"],
    ["--to-store=postgres://h/d"],
    ["--to-store-password-file=p"],
    ["--to-results=s3://b"],
    ["--to-data-dir=other"],
  ])("abandons no results with %s", async (flag) => {
    administration({ abandonResults: "s3://empty" });
    const { status, stderr } = await quern(["migrate-store", "--abandon-results", flag]);
    expect([status, stderr, calls]).toEqual([2, expect.stringContaining("takes neither --check nor a flag"), []]);
  });
});
