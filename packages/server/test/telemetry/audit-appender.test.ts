import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AuditAppenderOptions, openAuditAppender } from "../../src/telemetry/audit-appender.ts";
import { emptyChain, headOf } from "../../src/telemetry/audit-chain.ts";
import { closeCurrentFile } from "../../src/telemetry/audit-files.ts";
import { temporaryDirectory } from "../fixture.ts";

let dataDir: string;
let path: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
  path = join(dataDir, "audit.jsonl");
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const noon = Date.UTC(2026, 10, 23, 12);
const dayMs = 86_400_000;
const linesIn = (file = path) => readFileSync(file, "utf8").trimEnd().split("\n");
const valuesIn = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).n);
const sequencesIn = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).sequence);

/** Opens an appender of numbers, with the lines that it has reported. */
function opened(options: AuditAppenderOptions = {}) {
  const seen: string[] = [];
  const appender = openAuditAppender(dataDir, { ...options, onLine: (line) => seen.push(line) });
  return {
    append: (n: number, at = noon) => appender.append({ n, time: new Date(at).toISOString() }, at),
    close: appender.close,
    /** Removes and returns the numbers of the reported lines. */
    seen: () => valuesIn(seen.splice(0)),
  };
}

it("chains each line to the one before, in a file of its owner only", () => {
  const appender = opened();
  for (const n of [1, 2, 3]) appender.append(n);
  appender.close();
  const lines = linesIn();
  expect(valuesIn(lines)).toEqual([1, 2, 3]);
  expect(lines.map((line) => JSON.parse(line).previous)).toEqual([
    emptyChain.hash,
    ...lines.slice(0, 2).map((line) => headOf(line).hash),
  ]);
  expect(sequencesIn(lines)).toEqual([1, 2, 3]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("reports its own lines, and before them those of other processes since its last one", () => {
  const [one, other] = [opened(), opened()];
  one.append(1);
  expect([one.seen(), other.seen()]).toEqual([[1], []]);
  other.append(2);
  other.append(3);
  expect([one.seen(), other.seen()]).toEqual([[], [2, 3]]);
  one.append(4);
  expect([one.seen(), other.seen()]).toEqual([[2, 3, 4], []]);
  other.append(5);
  expect(other.seen()).toEqual([4, 5]);
  one.close();
  other.close();
  expect(sequencesIn(linesIn())).toEqual([1, 2, 3, 4, 5]);
});

it("reports the lines that another process has appended before and after it closed the file", () => {
  const [one, other] = [opened(), opened({ isFull: (file, line) => file.day !== line.day })];
  one.append(1);
  other.append(2);
  other.append(3, noon + dayMs);
  other.append(4, noon + dayMs);
  one.append(5, noon + dayMs);
  expect(one.seen()).toEqual([1, 2, 3, 4, 5]);
  one.close();
  other.close();
  expect(sequencesIn(linesIn())).toEqual([3, 4, 5]);
});

it("continues after a file that another process has closed, and reports no line of it again", () => {
  const appender = opened();
  appender.append(1);
  closeCurrentFile(dataDir, "2026-11-23");
  appender.append(2);
  expect(appender.seen()).toEqual([1, 2]);
  appender.close();
  const closed = linesIn(join(dataDir, "audit-2026-11-23.jsonl"));
  expect([sequencesIn(closed), sequencesIn(linesIn())]).toEqual([[1], [2]]);
  expect(JSON.parse(linesIn()[0] ?? "").previous).toBe(headOf(closed[0] ?? "").hash);
});

it("continues after the last line of a file that was cut, and reports nothing twice", () => {
  const appender = opened();
  for (const n of [1, 2]) appender.append(n);
  const [first = ""] = linesIn();
  truncateSync(path, first.length + 1);
  appender.append(3);
  expect(sequencesIn(linesIn())).toEqual([1, 2]);
  truncateSync(path, 0);
  appender.append(4);
  expect([valuesIn(linesIn()), sequencesIn(linesIn())]).toEqual([[4], [3]]);
  rmSync(path);
  appender.append(5);
  expect([valuesIn(linesIn()), sequencesIn(linesIn())]).toEqual([[5], [4]]);
  expect(appender.seen()).toEqual([1, 2, 3, 4, 5]);
  appender.close();
});

it("asks if a file with lines is full, with the sizes and the days of the file and of the line", () => {
  const asked: unknown[] = [];
  const appender = opened({
    isFull: ({ bytes, day }, line) => {
      asked.push([bytes, day, line.bytes, line.day]);
      return line.day !== day;
    },
  });
  appender.append(1);
  appender.append(2, noon + 1);
  const [first = "", second = ""] = linesIn();
  appender.append(3, noon + dayMs);
  appender.append(4, noon + dayMs);
  appender.close();
  const [third = "", fourth = ""] = linesIn();
  const size = (...lines: readonly string[]) => lines.reduce((bytes, line) => bytes + line.length + 1, 0);
  expect(asked).toEqual([
    [size(first), "2026-11-23", size(second), "2026-11-23"],
    [size(first, second), "2026-11-23", size(third), "2026-11-24"],
    [size(third), "2026-11-24", size(fourth), "2026-11-24"],
  ]);
  expect(linesIn(join(dataDir, "audit-2026-11-23.jsonl"))).toEqual([first, second]);
  expect(sequencesIn([third, fourth])).toEqual([3, 4]);
});

it("takes the day of a file from its first line, and keeps a file without a limit", () => {
  const days: string[] = [];
  writeFileSync(path, '{"time":"2026-11-20T00:00:00.000Z"}\n{"time":"2026-11-21T00:00:00.000Z"}\n');
  const appender = opened({ isFull: ({ day }) => days.push(day) < 0 });
  appender.append(1);
  expect(days).toEqual(["2026-11-20"]);
  appender.close();
  const unlimited = openAuditAppender(dataDir);
  unlimited.append({ n: 2 }, noon + 9 * dayMs);
  unlimited.close();
  expect(linesIn()).toHaveLength(4);
});

it("removes what a crash has left of the last line, in a file with other lines or none", () => {
  for (const whole of ["", '{"sequence":7,"previous":null}\n']) {
    writeFileSync(path, `${whole}{"sequence":8,"n":`);
    const appender = opened();
    appender.append(1);
    appender.close();
    const text = readFileSync(path, "utf8");
    expect([text.startsWith(whole), sequencesIn(linesIn()).at(-1)]).toEqual([true, whole === "" ? 1 : 8]);
    expect(linesIn()).toHaveLength(whole === "" ? 1 : 2);
  }
});
