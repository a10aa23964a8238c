import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { Context } from "../../src/command-function.ts";
import { writeRows } from "../../src/output/rows.ts";

const names = ["id", "state", "created_at", "rows", "sql"];
const long = "x".repeat(60);
const rows = [
  { id: `run_${"1".repeat(20)}`, state: long, created_at: "2026-11-20T09:30:00.000Z", rows: 1_234_567, sql: long },
];

async function printed(columns: number, full = false) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  const stderr = new PassThrough();
  await writeRows(
    { process: { stdout, stderr } } as unknown as Context,
    { format: "table", full } as never,
    names,
    rows,
  );
  return { lines: String(stdout.read()).trimEnd().split("\n"), told: String(stderr.read() ?? "") };
}

it("rows on a narrow terminal keep ids, times and numbers whole, and lose of texts", async () => {
  const { lines, told } = await printed(100);
  expect(lines[2]).toContain(`run_${"1".repeat(20)}`);
  expect(lines[2]).toContain("2026-11-20T09:30:00.000Z");
  expect(lines[2]).toContain("1234567");
  expect(lines[2]).not.toContain(long);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(told).toBe("");
});

it("rows on a terminal that cannot hold all columns say how many are hidden", async () => {
  const { lines, told } = await printed(60);
  expect(lines[0]).not.toContain("sql");
  expect(told).toMatch(/[1-4].* 5 columns/);
});

it("rows are whole where that is asked for", async () => {
  expect((await printed(60, true)).lines[2]?.split(long)).toHaveLength(3);
});
