import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Context } from "../../src/command-function.ts";
import { timeText, writeDone, writeRows } from "../../src/output/rows.ts";

const names = ["id", "state", "created_at", "rows", "sql"];
const long = "x".repeat(60);
const rows = [
  { id: `run_${"1".repeat(20)}`, state: long, created_at: "2026-11-20T09:30:00.000Z", rows: 1_234_567, sql: long },
];

async function printed(columns: number, full = false) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  const stderr = new PassThrough();
  await writeRows(
    { process: { stdout, stderr, env: {} } } as unknown as Context,
    { format: "table", full } as never,
    names,
    rows,
  );
  return { lines: String(stdout.read()).trimEnd().split("\n"), reported: String(stderr.read() ?? "") };
}

it("rows on a narrow terminal keep ids, times and numbers whole, and lose of texts", async () => {
  const { lines, reported } = await printed(100);
  expect(lines[2]).toContain(`run_${"1".repeat(20)}`);
  expect(lines[2]).toContain("2026-11-20T09:30:00.000Z");
  expect(lines[2]).toContain("1234567");
  expect(lines[2]).not.toContain(long);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(reported).toBe("some cells are shortened; --full prints them whole\n");
});

it("rows on a terminal that cannot hold all columns say how many are hidden", async () => {
  const { lines, reported } = await printed(60);
  expect(lines[0]).not.toContain("sql");
  expect(reported).toMatch(/[1-4].* 5 columns/);
});

it("rows are whole where that is asked for", async () => {
  const { lines, reported } = await printed(60, true);
  expect(lines[2]?.split(long)).toHaveLength(3);
  expect(reported).toBe("");
});

describe("the columns of named rows", () => {
  async function table(rows: readonly Readonly<Record<string, unknown>>[], json = false) {
    const stdout = new PassThrough();
    const flags = json ? { json } : { format: "table" };
    await writeRows(
      { process: { stdout, stderr: new PassThrough(), env: {} } } as unknown as Context,
      flags as never,
      ["id", "n"],
      rows,
    );
    return String(stdout.read());
  }

  it("are aligned to the right if a row has a number, and lack values that a row lacks", async () => {
    expect(await table([{ id: "a" }, { id: "b", n: 100 }, { id: "c", n: 7, more: 1 }])).toBe(
      "id     n\n──  ────\na   NULL\nb    100\nc      7\n",
    );
    expect(
      await table([
        { id: "a", n: "7" },
        { id: "b", n: "100" },
      ]),
    ).toBe("id  n\n──  ───\na   7\nb   100\n");
  });

  it("are the keys of a JSON object for each row", async () => {
    expect(await table([{ id: "a", n: 0 }, { n: false }], true)).toBe(
      '[\n{"id":"a","n":0},\n{"id":null,"n":false}\n]\n',
    );
  });
});

it("changed names are a line for each, or one JSON object", async () => {
  const stdout = new PassThrough();
  const context = { process: { stdout } } as unknown as Context;
  await writeDone(context, { json: false }, "removed", ["a", "b"]);
  await writeDone(context, { json: true }, "removed", ["a", "b"]);
  stdout.end();
  expect(await text(stdout)).toBe('removed a\nremoved b\n{"removed":["a","b"]}\n');
});

it.each([
  [0, "1970-01-01T00:00:00.000Z"],
  [null, null],
])("the time %j is printed as %j", (instant, text) => {
  expect(timeText(instant)).toBe(text);
});
