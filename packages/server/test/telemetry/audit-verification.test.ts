import { appendFile, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chainedLine, emptyChain, headOf } from "../../src/telemetry/audit-chain.ts";
import { type AuditExpectation, openAuditInputs, verifyAudit } from "../../src/telemetry/audit-verification.ts";
import { temporaryDirectory } from "../fixture.ts";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Returns numbered lines, each with the hash of the line before. */
function chainOf(count: number, event: object = {}): string[] {
  const lines: string[] = [];
  for (let head = emptyChain; lines.length < count; ) {
    const line = chainedLine(event, head);
    lines.push(line);
    head = headOf(line);
  }
  return lines;
}

const chain = chainOf(10);
const [one = "", two = "", three = "", four = "", five = "", six = "", seven = "", eight = ""] = chain;
const unnumbered = '{"action":"run.create"}';
const changed = (line: string) => line.replace("}", ',"a":1}');
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** Writes files with lines, and opens them. */
async function inputsOf(...files: readonly (readonly string[])[]) {
  const paths = files.map((_, index) => join(directory, `${index}.jsonl`));
  for (const [index, path] of paths.entries()) await writeFile(path, textOf(files[index] ?? []));
  return openAuditInputs(paths);
}

async function faultsOf(lines: readonly string[], expectation?: AuditExpectation) {
  const { faults, isIntact } = await verifyAudit(await inputsOf(lines), expectation);
  expect(isIntact).toBe(faults.length === 0);
  return faults.map(({ file, line, fault, meaning }) => `${file}:${line} ${fault}: ${meaning}`);
}

it.each<[string, readonly string[], readonly string[]]>([
  ["no line", [], []],
  ["a whole log", chain, []],
  [
    "a changed line",
    [one, two, changed(three), four, five],
    ["0.jsonl:3 changed: line 4 has another hash for the line before it"],
  ],
  [
    "a changed number",
    [one, two, three.replace(":3", ":300"), four],
    ["0.jsonl:3 changed: its number is 300, but it follows line 2"],
  ],
  ["a line of something else", [one, "x", three], ["0.jsonl:2 changed: it is not a line of an audit log"]],
  ["a line without a number", [one, unnumbered], ["0.jsonl:2 changed: it is not a line of an audit log"]],
  ["a removed line", [one, three, four], ["0.jsonl:2 missing: missing before this line: line 2"]],
  ["removed lines", [one, five, six], ["0.jsonl:2 missing: missing before this line: 3 of the lines 2 to 4"]],
  [
    "removed lines at two places",
    [two, three, five, eight],
    [
      "0.jsonl:1 missing: missing before this line: line 1",
      "0.jsonl:3 missing: missing before this line: line 4",
      "0.jsonl:4 missing: missing before this line: 2 of the lines 6 to 7",
    ],
  ],
  ["a moved line", [one, three, two, four], ["0.jsonl:3 moved: line 2 follows line 3"]],
  [
    "removed lines, of which one comes later",
    [one, five, three, six],
    ["0.jsonl:3 moved: line 3 follows line 5", "0.jsonl:2 missing: missing before this line: 2 of the lines 2 to 4"],
  ],
  [
    "the first of the removed lines later",
    [one, four, two, five],
    ["0.jsonl:3 moved: line 2 follows line 4", "0.jsonl:2 missing: missing before this line: 1 of the lines 2 to 3"],
  ],
  [
    "the last of the removed lines later",
    [one, four, three, five],
    ["0.jsonl:3 moved: line 3 follows line 4", "0.jsonl:2 missing: missing before this line: 1 of the lines 2 to 3"],
  ],
  ["a repeated line", [one, two, two, three], ["0.jsonl:3 repeated: line 2 follows line 2"]],
  ["an earlier line again", [one, two, three, one, four], ["0.jsonl:4 repeated: line 1 follows line 3"]],
  [
    "a moved line again",
    [one, three, two, two, four],
    ["0.jsonl:3 moved: line 2 follows line 3", "0.jsonl:4 repeated: line 2 follows line 2"],
  ],
])("a check finds %s", async (_name, lines, expected) => {
  expect(await faultsOf(lines)).toEqual(expected);
});

it.each<[string, readonly string[], AuditExpectation, readonly string[]]>([
  ["any first number after the hash of removed files", [four, five], { after: headOf(three).hash ?? "" }, []],
  [
    "another hash before the first line",
    [one, two],
    { after: "other" },
    ["0.jsonl:1 changed: line 1 has another hash for the line before it"],
  ],
  ["the expected hash in the middle", [one, two, three], { expected: headOf(two).hash ?? "" }, []],
  [
    "that no line has the expected hash",
    [one, two],
    { expected: headOf(three).hash ?? "" },
    ["0.jsonl:2 missing: no line has the expected hash: the line with it was removed or changed"],
  ],
])("a check with an expectation finds %s", async (_name, lines, expectation, expected) => {
  expect(await faultsOf(lines, expectation)).toEqual(expected);
});

it("a check of no file finds nothing, but not the expected hash", async () => {
  expect(await verifyAudit([])).toEqual({
    isIntact: true,
    files: [],
    lines: 0,
    last: { sequence: 0, hash: null },
    faults: [],
  });
  expect((await verifyAudit([], { expected: "a" })).faults).toMatchObject([{ file: "", line: 0, fault: "missing" }]);
});

it("a check counts the lines of all files", async () => {
  const inputs = await inputsOf([one], [], [two, three], []);
  expect(inputs.map(({ name }) => name)).toEqual(["0.jsonl", "1.jsonl", "2.jsonl", "3.jsonl"]);
  expect(await verifyAudit(inputs)).toEqual({
    isIntact: true,
    files: ["0.jsonl", "1.jsonl", "2.jsonl", "3.jsonl"],
    lines: 3,
    last: headOf(three),
    faults: [],
  });
  const { faults } = await verifyAudit(await inputsOf([one, two], [changed(three), four, six]));
  expect(faults.map(({ file, line, fault }) => [file, line, fault])).toEqual([
    ["1.jsonl", 1, "changed"],
    ["1.jsonl", 3, "missing"],
  ]);
});

it("a check has 100 faults, also if the expected hash is missing too", async () => {
  const lines = Array.from({ length: 100 }, () => "x");
  const { faults } = await verifyAudit(await inputsOf(lines), { expected: "a" });
  expect([faults.length, faults.at(-1)?.line, faults.at(-1)?.fault]).toEqual([100, 100, "changed"]);
  const fewer = await verifyAudit(await inputsOf(lines.slice(1)), { expected: "a" });
  expect([fewer.faults.length, fewer.faults.at(-1)?.fault]).toEqual([100, "missing"]);
});

it("a check ends where the files ended when they were opened, and at the last whole line", async () => {
  const inputs = await inputsOf([one, two], [three, four]);
  for (const { name } of inputs) await appendFile(join(directory, name), `\nx\n${seven}\n`);
  expect(await verifyAudit(inputs)).toMatchObject({ isIntact: true, lines: 4, last: headOf(four) });
  await writeFile(join(directory, "half"), `${textOf([one, two])}${three.slice(0, 9)}`);
  const half = openAuditInputs([join(directory, "half")]);
  expect(await verifyAudit(half)).toMatchObject({ isIntact: true, lines: 2, last: headOf(two) });
});

it("a check reads long files with any characters", async () => {
  const lines = chainOf(2_000, { userId: "ö€😀".repeat(20) });
  expect(await verifyAudit(await inputsOf(lines))).toMatchObject({ isIntact: true, lines: 2_000 });
});

it.runIf(process.platform === "linux")("a check closes its files", async () => {
  const opened = async () => {
    const links = await Promise.all(
      (await readdir("/proc/self/fd")).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")),
    );
    return links.filter((link) => link.startsWith(directory)).length;
  };
  const inputs = await inputsOf([one], [], [two]);
  expect(await opened()).toBe(3);
  await verifyAudit(inputs);
  await expect.poll(opened).toBe(0);
});
