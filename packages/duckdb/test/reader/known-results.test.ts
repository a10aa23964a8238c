import { rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createKnownResults } from "../../src/reader/known-results.ts";
import type { PageTask } from "../../src/reader/task.ts";
import { inDuckDB } from "../sources/data.ts";

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

function task(change: Partial<PageTask>): PageTask {
  const columns = [{ name: "n", kind: "number", engineType: "BIGINT" }] as const;
  const form = { format: "csv", rowIndex: false, maxBytes: 1_000 } as const;
  const view = { conditions: [], sortKeys: [], page: { number: 1, size: 10 } };
  return {
    result: "run_a.1",
    paths: [join(directory, "0.parquet")],
    columns,
    rowCount: 1,
    ...view,
    ...form,
    ...change,
  };
}

it("prepares a result once for each form of its rows", async () => {
  await inDuckDB(":memory:", `COPY (SELECT 1 AS c0) TO '${join(directory, "0.parquet")}'`);
  const onFooter = vi.fn();
  const known = createKnownResults(onFooter);
  const csv = await known.of(task({}));
  expect(await known.of(task({ page: { number: 2, size: 5 } }))).toBe(csv);
  expect(await known.of(task({ format: "json" }))).not.toBe(csv);
  expect(await known.of(task({ rowIndex: true }))).not.toBe(csv);
  expect(await known.of(task({ result: "run_b.1" }))).not.toBe(csv);
  expect(onFooter).toHaveBeenCalledTimes(4);
  expect(onFooter.mock.calls[0]?.[0]).toBeGreaterThan(20);
});

it("prepares a result again for other names of its row numbers, other files, and a file that was replaced", async () => {
  const [path, other] = [join(directory, "replaced.parquet"), join(directory, "other.parquet")];
  for (const file of [path, other]) {
    await inDuckDB(":memory:", `COPY (SELECT 1 AS c0) TO '${file}'`);
    await utimes(file, 2, 2);
  }
  const known = createKnownResults(() => {});
  const first = await known.of(task({ paths: [path] }));
  expect(await known.of(task({ paths: [path], rowNumber: "row_number" }))).not.toBe(first);
  expect((await known.of(task({ paths: [other] }))).files).toMatchObject([{ path: other }]);
  expect(await known.of(task({ paths: [path] }))).toBe(first);
  await rename(other, path);
  const second = await known.of(task({ paths: [path] }));
  expect(second).not.toBe(first);
  await utimes(path, 1, 1);
  expect(await known.of(task({ paths: [path] }))).not.toBe(second);
});

it("forgets the results that were not read for longest", async () => {
  const known = createKnownResults(() => {});
  const [first, second] = [await known.of(task({ result: "first" })), await known.of(task({ result: "second" }))];
  for (let index = 0; index < 198; index += 1) await known.of(task({ result: `other ${index}` }));
  expect(await known.of(task({ result: "first" }))).toBe(first);
  await known.of(task({ result: "one more" }));
  expect(await known.of(task({ result: "first" }))).toBe(first);
  expect(await known.of(task({ result: "second" }))).not.toBe(second);
});
