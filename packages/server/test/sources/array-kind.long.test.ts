import { readFile, rm } from "node:fs/promises";
import type { Source } from "@quern/adapter";
import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { createResultReader, createResultWriter } from "@quern/duckdb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultRows } from "../../../duckdb/test/reader/result-rows.ts";
import { eventually, startServer, type TestServer, temporaryDirectory } from "../fixture.ts";
import { arrayKind } from "./array-kind.ts";
import { endings, manyRows, samples } from "./array-tables.ts";

const counts = Object.fromEntries([10, 11, 20_000].map((count) => [`many_${count}`, manyRows(count)]));
const tables = { ...samples, ...endings, ...counts };
const source: Source = { name: "arrays", provider: "test", kind: "arrays", path: null, lowerCaseColumns: false };

it("is written in less than 150 lines", async () => {
  const text = await readFile(new URL("./array-kind.ts", import.meta.url), "utf8");
  expect(text.split("\n").length).toBeLessThan(150);
});

describe("a source of JavaScript arrays", () => {
  let directory: string;
  let context: SourceKindContext;
  let close: () => Promise<unknown>;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    const options = { workDirectory: directory, spillMegabytes: 100 };
    const writer = createResultWriter(options);
    const reader = createResultReader({
      ...options,
      filteredPageTimeoutSeconds: 60,
      maxCopyBytes: 1e9,
      hasSpace: async () => true,
    });
    const kind = arrayKind(tables);
    close = () => Promise.all([kind.close(), writer.close(), reader.close()]);
    const sampleOf = (name: keyof typeof samples) => {
      const { columns, shown } = samples[name];
      return { sql: `from ${name}`, columns: columns.map(({ name, kind }) => ({ name, kind })), rows: shown };
    };
    context = {
      kind,
      source,
      writer,
      read: (written) => resultRows(reader, written),
      samples: {
        types: sampleOf("types"),
        nulls: sampleOf("nulls"),
        bigNumbers: sampleOf("bigNumbers"),
        timestamps: sampleOf("timestamps"),
        nested: sampleOf("nested"),
        empty: sampleOf("empty"),
      },
      invalid: "from nowhere",
      lateFailure: "from late",
      endless: "from endless",
      manyRows: (count) => `from many_${count}`,
      tables: Object.entries(tables).map(([name, { columns }]) => ({
        catalog: "arrays",
        schema: "main",
        name,
        columns: columns.map(({ name, kind, engineType }) => ({ name, kind, engineType, nullable: true })),
      })),
      completion: { sql: "from late", start: 5, text: "late" },
    };
  });
  afterAll(async () => {
    await close();
    await rm(directory, { recursive: true });
  });

  it.each(sourceKindContract)("$name", ({ run }) => run(context));
});

describe("the service on a source of JavaScript arrays", () => {
  let server: TestServer;
  beforeAll(async () => {
    const sources = [source, { name: "samples", provider: "test" }].map(({ name, provider }) => ({
      name,
      provider,
      oldNames: false,
      kind: name === "arrays" ? "arrays" : "duckdb",
    }));
    server = await startServer({
      sources,
      sourceKinds: { arrays: arrayKind(tables) },
      limits: { maxResultRows: 10_000 },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("runs its statements, pages their rows and names the types of its engine", async () => {
    const run = await server.run("from bigNumbers");
    expect(run).toMatchObject({ state: "QUERY_STATE_SUCCESS", rowCount: 1, dataSourceId: "arrays" });
    expect(run.dataSourceQueryId).toMatch(/^array_query_\d+$/);
    const page = await server.results({ queryRunId: run.id });
    expect(page.rows).toEqual(samples.bigNumbers.shown);
    expect(page.columnEngineTypes).toEqual(["int8", "numeric", "numeric(38,10)"]);
    expect(await server.rows("select 42", { dataSource: "samples" })).toEqual([[42]]);
  });

  it("filters and sorts by the stored type, not by the engine's", async () => {
    const { id } = await server.run("from many_11");
    const filters = [{ column: "text", like: "row 1%" }];
    const page = await server.results({ queryRunId: id, filters, sortBy: [{ column: "text", direction: "desc" }] });
    expect(page.rows?.map((row) => String(row).slice(0, 6))).toEqual(["row 10", "row 1 "]);
  });

  it.each([
    ["an unknown table", "from nowhere", "TableNotFound", "USER"],
    ["an error after the first rows", "from late", "DivisionByZero", "USER"],
    ["too many rows", "from many_20000", "ResultTooLarge", "RESOURCE"],
  ])("fails a run by %s", async (_, sql, errorName, category) => {
    const run = await server.run(sql);
    expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", errorName, errorData: { category } });
  });

  it("cancels a run whose engine delivers rows without end", async () => {
    const { queryRun } = await server.create({ sql: "from endless" });
    await eventually(async () => (await server.get(queryRun.id)).state === "QUERY_STATE_STREAMING_RESULTS");
    await server.call("cancelQueryRun", { queryRunId: queryRun.id });
    expect(await server.get(queryRun.id, 30)).toMatchObject({ state: "QUERY_STATE_CANCELED" });
    await eventually(async () => (await server.run("from empty")).state === "QUERY_STATE_SUCCESS");
  });
});
