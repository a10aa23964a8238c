import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { startChild } from "../../src/processes/child.ts";
import type { PageTask } from "../../src/reader/task.ts";
import { inDuckDB } from "../sources/data.ts";

/** Numbers of the pages that the process has to read. */
const read: number[] = [];
vi.mock("../../src/processes/child.ts", async (load) => {
  const module = await load<{ readonly startChild: typeof startChild }>();
  const start: typeof startChild = (options) => {
    const child = module.startChild(options);
    const { call } = child;
    return Object.assign(child, {
      call: ((name, argument, ...rest) => {
        if (name === "page") read.push((argument as PageTask).page.number); // sent by `reader.ts`
        return call(name, argument, ...rest);
      }) satisfies typeof call,
    });
  };
  return { ...module, startChild: start };
});

// Another test file in this process may have loaded the modules without the mock.
vi.resetModules();
const { createResultReader } = await import("../../src/reader/reader.ts");

it("reads the next page in the process while a caller has the previous one, once", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "results", "run_a.1.parquet");
  await mkdir(join(directory, "results"));
  await inDuckDB(":memory:", `COPY (SELECT range AS c0 FROM range(40)) TO '${path}' (FORMAT parquet)`);
  const limits = { spillMegabytes: 100, maxCopyBytes: 1e9, filteredPageTimeoutSeconds: 60 };
  const reader = createResultReader({ ...limits, workDirectory: directory, hasSpace: async () => true });
  onTestFinished(async () => {
    await reader.close();
    await rm(directory, { recursive: true });
  });
  const rows: unknown[] = [];
  for (const number of [1, 2, 3, 4]) {
    const answer = await reader.page(
      "tenant",
      {
        result: "run_a.1",
        paths: [path],
        columns: [{ name: "n", kind: "number", engineType: "BIGINT" }],
        rowCount: 40,
        page: { number, size: 10 },
        format: "csv",
        rowIndex: false,
        conditions: [],
        sortKeys: [],
        maxBytes: 1_000_000,
      },
      new AbortController().signal,
    );
    if ("rows" in answer) rows.push(...JSON.parse(Buffer.from(answer.rows).toString()).flat());
    if (number === 2) expect(read.toSorted()).toEqual([1, 2, 3]);
  }
  expect(rows).toEqual(Array.from({ length: 40 }, (_, row) => row));
  expect(read.toSorted()).toEqual([1, 2, 3, 4]);
});
