import { createHash } from "node:crypto";
import { appendFile, readdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyAudit } from "../../src/administration/audit.ts";
import type { AuditOptions } from "../../src/generated/settings.ts";
import { type AuditEvent, openAuditLog } from "../../src/telemetry/audit-log.ts";
import { temporaryDirectory } from "../fixture.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const event: AuditEvent = { action: "run.create", tenantId: "t", userId: "u\u2028", keyId: "k", address: "::1" };
const noon = Date.UTC(2026, 10, 23, 12);
const dayMs = 86_400_000;

/** Records events in one opening of the log, each at its time. */
function record(times: readonly number[], options?: AuditOptions): void {
  const log = openAuditLog(dataDir, options);
  for (const time of times) log.record(event, time);
  log.close();
}

const path = (name = "audit.jsonl") => join(dataDir, name);
const namesOf = async () => (await readdir(dataDir)).filter((name) => name.startsWith("audit") && name.endsWith("l"));
const linesOf = async (name?: string) => (await readFile(path(name), "utf8")).split("\n").slice(0, -1);
const sha256 = (line = "") => createHash("sha256").update(line).digest("hex");

describe("each line has the hash of the line before", () => {
  it("after a restart, and where several processes append", async () => {
    const server = openAuditLog(dataDir, {});
    const command = openAuditLog(dataDir);
    for (const log of [server, command, server, command, command, server]) log.record(event, noon);
    server.close();
    command.close();
    record([noon, noon], {});
    const lines = await linesOf();
    const expected = lines.map((_, index) => ({
      sequence: index + 1,
      previous: index === 0 ? null : sha256(lines[index - 1]),
    }));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(expected);
    expect(lines).toHaveLength(8);
    expect(await verifyAudit({ dataDir })).toMatchObject({
      isIntact: true,
      lines: 8,
      last: { sequence: 8, hash: sha256(lines[7]) },
    });
  });

  it("after a crash that left half a line, which is removed", async () => {
    record([noon, noon], {});
    await appendFile(path(), '{"sequence":3,"prev');
    expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 2 });
    record([noon], {});
    expect(await linesOf()).toHaveLength(3);
    expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 3 });
    await writeFile(path(), '{"seq');
    record([noon], {});
    expect(await linesOf()).toMatchObject([expect.stringMatching(/^\{"sequence":1,"previous":null,/)]);
  });

  it("across files that are closed at a size, with no line lost", async () => {
    record(Array(100).fill(noon), { maxFileBytes: 2_000 });
    const names = await namesOf();
    expect(names.length).toBeGreaterThan(5);
    expect(names).toContain("audit-2026-11-23.jsonl");
    expect(names).toContain("audit-2026-11-23.10.jsonl");
    for (const name of names) expect((await stat(path(name))).size).toBeLessThanOrEqual(2_000);
    expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 100, last: { sequence: 100 } });
    // A crash between the end of one file and the first line of the next.
    await rename(path(), path("audit-2026-11-24.jsonl"));
    record([noon], { maxFileBytes: 2_000 });
    expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 101, last: { sequence: 101 } });
  });

  it("across files of a day each, also if the clock was set back", async () => {
    const daily = { rotation: "daily" } as const;
    record([noon, noon, noon + dayMs], daily);
    record([noon + dayMs, noon + 3 * dayMs], daily);
    expect(await namesOf()).toEqual(["audit-2026-11-23.jsonl", "audit-2026-11-24.jsonl", "audit.jsonl"]);
    expect((await linesOf("audit-2026-11-24.jsonl")).length).toBe(2);
    record([noon, noon + 4 * dayMs], daily);
    expect(await namesOf()).toContain("audit-2026-11-26.2.jsonl");
    expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 7, last: { sequence: 7 } });
  });

  it("after another program has emptied or removed the file", async () => {
    const log = openAuditLog(dataDir, {});
    log.record(event, noon);
    await truncate(path());
    log.record(event, noon);
    await rename(path(), path("moved.jsonl"));
    log.record(event, noon);
    log.close();
    const files = [path("moved.jsonl"), path()];
    const { isIntact, faults, lines } = await verifyAudit({ files });
    expect({ isIntact, lines, faults }).toMatchObject({ isIntact: false, lines: 2, faults: [{ fault: "missing" }] });
  });
});

it("copies its lines, and those that commands append meanwhile, to stdout", async () => {
  const write = process.stdout.write;
  const copied: string[] = [];
  process.stdout.write = (text: unknown) => copied.push(String(text)) > 0;
  try {
    const log = openAuditLog(dataDir, { stdout: true });
    log.record(event, noon);
    record([noon, noon]);
    log.record(event, noon);
    log.close();
  } finally {
    process.stdout.write = write;
  }
  expect(copied.join("")).toBe(await readFile(path(), "utf8"));
  expect(copied).toHaveLength(4);
});

describe("a check of two files of five lines finds", () => {
  const second = () => path("second.jsonl");
  let lines: string[];
  beforeEach(async () => {
    record(Array(10).fill(noon), {});
    lines = await linesOf();
  });

  /** Checks the lines, after the last five of them were moved to a second file. */
  async function faultsOf(changed: readonly string[], expectation: { expected?: string; after?: string } = {}) {
    await writeFile(
      path(),
      changed
        .slice(0, 5)
        .map((line) => `${line}\n`)
        .join(""),
    );
    await writeFile(
      second(),
      changed
        .slice(5)
        .map((line) => `${line}\n`)
        .join(""),
    );
    const { isIntact, faults } = await verifyAudit({ files: [path(), second()] }, expectation);
    expect(isIntact).toBe(faults.length === 0);
    return faults.map(({ file, line, fault }) => `${file}:${line} ${fault}`);
  }

  it.each([3, 4, 5, 8])("a changed line %s", async (index) => {
    const changed = lines.with(index, (lines[index] ?? "").replace('"k"', '"K"'));
    const place = index < 5 ? `audit.jsonl:${index + 1}` : `second.jsonl:${index - 4}`;
    expect(await faultsOf(changed)).toEqual([`${place} changed`]);
  });

  it.each([1, 4, 6])("a removed line %s", async (index) => {
    const place = index < 5 ? `audit.jsonl:${index + 1}` : `second.jsonl:${index - 4}`;
    const moved = index === 4 ? lines.toSpliced(4, 1) : lines.toSpliced(index, 1);
    expect(await faultsOf(moved)).toEqual([`${place} missing`]);
  });

  it("the first 100 of very many faults", async () => {
    await writeFile(path(), "{}\n".repeat(150_000));
    const { faults, lines } = await verifyAudit({ files: [path()] });
    expect([faults.length, faults.at(-1)?.line, lines]).toEqual([100, 100, 150_000]);
  });

  it("two swapped lines", async () => {
    const [sixth = "", seventh = ""] = lines.slice(6, 8);
    expect(await faultsOf(lines.with(6, seventh).with(7, sixth))).toEqual(["second.jsonl:3 moved"]);
  });

  it("a repeated line, a changed number, a line that is no JSON, and a line without a number", async () => {
    expect(await faultsOf(lines.toSpliced(7, 0, lines[6] ?? ""))).toEqual(["second.jsonl:3 repeated"]);
    const renumbered = (lines[6] ?? "").replace('"sequence":7', '"sequence":700');
    expect(await faultsOf(lines.with(6, renumbered))).toEqual(["second.jsonl:2 changed"]);
    for (const other of ["", "null", "{", '{"action":"run.create"}'])
      expect(await faultsOf(lines.with(6, other))).toEqual(["second.jsonl:2 changed"]);
  });

  it("removed first lines, unless they are said to be removed", async () => {
    const rest = lines.slice(2);
    expect(await faultsOf(rest)).toEqual(["audit.jsonl:1 missing"]);
    expect(await faultsOf(rest, { after: sha256(lines[1]) })).toEqual([]);
    expect(await faultsOf(rest, { after: sha256(lines[0]) })).toEqual(["audit.jsonl:1 missing"]);
    expect(await faultsOf(lines, { after: sha256("other") })).toEqual(["audit.jsonl:1 changed"]);
  });

  it("removed last lines, and a changed last line, only with the hash of one of them", async () => {
    const shorter = lines.slice(0, 8);
    expect(await faultsOf(shorter)).toEqual([]);
    expect(await faultsOf(shorter, { expected: sha256(lines[8]) })).toEqual(["second.jsonl:3 missing"]);
    expect(await faultsOf(shorter, { expected: sha256(lines[6]) })).toEqual([]);
    const changed = lines.with(9, (lines[9] ?? "").replace('"k"', '"K"'));
    expect(await faultsOf(changed)).toEqual([]);
    expect(await faultsOf(changed, { expected: sha256(lines[9]) })).toEqual(["second.jsonl:5 missing"]);
  });
});

it("refuses a hash that is none, and names a missing log", async () => {
  await expect(verifyAudit({ dataDir })).rejects.toThrow(`no audit log in ${dataDir}`);
  await expect(verifyAudit({ files: [path("none")] })).rejects.toThrow(
    /^cannot read the audit log: ENOENT.*; name its files in --file, the oldest first$/,
  );
  await expect(verifyAudit({ dataDir }, { expected: "abc" })).rejects.toThrow("invalid hash: abc; expected 64");
});
