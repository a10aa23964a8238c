import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { verifyAudit } from "../../src/administration/audit.ts";
import type { AuditOptions } from "../../src/generated/settings.ts";
import { dayOf, linkOf } from "../../src/telemetry/audit-chain.ts";
import { auditFiles, closeCurrentFile, closedFiles } from "../../src/telemetry/audit-files.ts";
import { type AuditEvent, openAuditLog } from "../../src/telemetry/audit-log.ts";
import { openFilesIn, temporaryDirectory } from "../fixture.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const noon = Date.UTC(2026, 10, 23, 12);
const event: AuditEvent = { action: "run.create", tenantId: "t", userId: "ü", keyId: "k", address: "::1" };

/** Records events in one opening of the log. */
function record(count: number, options: AuditOptions = {}, details: Partial<AuditEvent> = {}): void {
  const log = openAuditLog(dataDir, options);
  for (let number = 0; number < count; number += 1) log.record({ ...event, ...details }, noon);
  log.close();
}

const write = (name: string, text = "") => writeFile(join(dataDir, name), text);
const namesOf = (paths: readonly string[]) => paths.map((path) => basename(path));

it("lists the closed files by their days and numbers, then the current one, and no others", async () => {
  const closed = ["audit-2026-11-22.jsonl", "audit-2026-11-23.jsonl"];
  const parts = ["audit-2026-11-23.2.jsonl", "audit-2026-11-23.10.jsonl", "audit-2026-11-24.jsonl"];
  for (const name of [...closed, ...parts].toReversed()) await write(name);
  for (const name of ["x-audit-2026-11-22.jsonl", "audit-2026-11-22.jsonl.bak", "audit-2026-11.jsonl"])
    await write(name);
  expect(namesOf(closedFiles(dataDir))).toEqual([...closed, ...parts]);
  expect(namesOf(auditFiles(dataDir))).toEqual([...closed, ...parts]);
  await write("audit.jsonl");
  expect(namesOf(auditFiles(dataDir))).toEqual([...closed, ...parts, "audit.jsonl"]);
});

it("names a closed file by its day, with a number after another one of that day or a later one", async () => {
  for (const day of ["2026-11-23", "2026-11-23", "2026-11-22", "2026-11-24"]) {
    await write("audit.jsonl");
    closeCurrentFile(dataDir, day);
  }
  const names = ["audit-2026-11-23.jsonl", "audit-2026-11-23.2.jsonl", "audit-2026-11-23.3.jsonl"];
  expect(namesOf(closedFiles(dataDir))).toEqual([...names, "audit-2026-11-24.jsonl"]);
});

it("fills a file to the last byte of its size", async () => {
  record(2);
  const text = await readFile(join(dataDir, "audit.jsonl"));
  const filesAt = async (maxFileBytes: number) => {
    await rm(join(dataDir, "audit.jsonl"));
    record(2, { maxFileBytes });
    return (await readdir(dataDir)).filter((name) => name.endsWith(".jsonl"));
  };
  expect(await filesAt(text.length)).toEqual(["audit.jsonl"]);
  expect(await filesAt(text.length - 1)).toEqual(["audit-2026-11-23.jsonl", "audit.jsonl"]);
});

it("continues after lines of any length, and after a closed file without lines", async () => {
  record(2, {}, { detail: "x".repeat(200_000) });
  record(2);
  expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 4, last: { sequence: 4 } });
  closeCurrentFile(dataDir, "2026-11-23");
  await write("audit-2026-11-24.jsonl");
  await write("audit-2026-11-25.jsonl");
  record(1);
  expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 5, last: { sequence: 5 } });
});

/** The file is read backward in chunks of 65,536 bytes; the line break of a last line is not part of the first chunk. */
it.each([1, 2].flatMap((chunks) => [-2, -1, 0, 1].map((more) => chunks * 65_536 + more)))(
  "continues after a last line of %i bytes, and removes an incomplete one",
  async (bytes) => {
    record(2, {}, { detail: "" });
    const path = join(dataDir, "audit.jsonl");
    const [, second = ""] = (await readFile(path, "utf8")).split("\n");
    record(1, {}, { detail: "x".repeat(bytes - Buffer.byteLength(second)) });
    const whole = await readFile(path, "utf8");
    expect(Buffer.byteLength(whole.split("\n")[2] ?? "")).toBe(bytes);
    await writeFile(path, `${whole}${"y".repeat(bytes)}`);
    record(1);
    expect((await readFile(path, "utf8")).startsWith(`${whole}{"sequence":4,`)).toBe(true);
    expect(await verifyAudit({ dataDir })).toMatchObject({ isIntact: true, lines: 4 });
  },
);

it("takes the lines of a file without a time for lines of today", async () => {
  await write("audit.jsonl", '{"action":"run.create"}\n');
  record(1, { rotation: "daily" });
  expect((await readdir(dataDir)).filter((name) => name.endsWith(".jsonl"))).toEqual(["audit.jsonl"]);
});

it("keeps no file open", async () => {
  record(3, { maxFileBytes: 1_000 });
  await write("audit-2026-11-24.jsonl");
  record(1);
  await verifyAudit({ dataDir });
  expect(await openFilesIn(dataDir)).toEqual([]);
});

it("says which lines are missing, moved, repeated or changed", async () => {
  record(10);
  const lines = (await readFile(join(dataDir, "audit.jsonl"), "utf8")).split("\n");
  const faultsOf = async (numbers: readonly number[], change = (text: string) => text) => {
    await write("audit.jsonl", change(numbers.map((number) => `${lines[number - 1]}\n`).join("")));
    const { faults } = await verifyAudit({ dataDir });
    return faults.map(({ line, fault, meaning }) => `${line} ${fault}: ${meaning}`);
  };
  expect(await faultsOf([1, 2, 6, 7, 8, 4, 9, 10])).toEqual([
    "6 moved: line 4 follows line 8",
    "3 missing: missing before this line: 2 of the lines 3 to 5",
  ]);
  expect(await faultsOf([1, 2, 4])).toEqual(["3 missing: missing before this line: line 3"]);
  expect(await faultsOf([1, 4, 3, 2, 4, 5])).toEqual([
    "3 moved: line 3 follows line 4",
    "4 moved: line 2 follows line 3",
    "5 repeated: line 4 follows line 2",
  ]);
  expect(await faultsOf([1, 2, 3], (text) => text.replace('"sequence":2', '"sequence":7'))).toEqual([
    "2 changed: its number is 7, but it follows line 1",
  ]);
  expect(await faultsOf([1, 2, 3], (text) => text.replace('"sequence":2,', ""))).toEqual([
    "2 changed: it is not a line of an audit log",
  ]);
  expect(await faultsOf([1, 2, 3], (text) => text.replace('"ü"', '"u"'))).toEqual([
    "1 changed: line 2 has another hash for the line before it",
  ]);
  expect(await faultsOf([1, 2, 3], (text) => text.replace("{", ""))).toEqual([
    "1 changed: it is not a line of an audit log",
  ]);
});

it("reads the last part of a file without a line break as no line", async () => {
  record(1);
  const text = await readFile(join(dataDir, "audit.jsonl"), "utf8");
  await write("audit.jsonl", `${text}{"sequence":2`);
  const { isIntact, lines, files, last } = await verifyAudit({ dataDir });
  expect({ isIntact, lines, files, last: last.sequence }).toEqual({
    isIntact: true,
    lines: 1,
    files: ["audit.jsonl"],
    last: 1,
  });
});

it.each([
  ['{"sequence":1,"previous":null}', { sequence: 1, previous: null }],
  ['{"sequence":2,"previous":"ab"}', { sequence: 2, previous: "ab" }],
  ["{}", undefined],
  ['{"sequence":0}', undefined],
  ['{"sequence":-1}', undefined],
  ['{"sequence":1.5}', undefined],
  ['{"sequence":"1"}', undefined],
  ['{"sequence":null}', undefined],
  ['{"sequence":1,"previous":7}', undefined],
  ["null", undefined],
  ["7", undefined],
  ["{", undefined],
])("reads the link of the line %s", (line, link) => {
  expect(linkOf(line)).toEqual(link);
});

it.each([
  ['{"time":"2026-11-23T12:00:00.000Z"}', "2026-11-23"],
  ['{"time":"2026-11-23"}', undefined],
  ['{"time":"x2026-11-23T"}', undefined],
  ['{"time":7}', undefined],
  ["{}", undefined],
  ["nothing", undefined],
])("reads the day of the line %s", (line, day) => {
  expect(dayOf(line)).toBe(day);
});
