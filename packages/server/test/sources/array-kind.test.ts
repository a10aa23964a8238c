import { readFile, rm } from "node:fs/promises";
import { type Execution, type Source, type SourceKind, StatementError } from "@quern/adapter";
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
      ...{ kind, source, writer },
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
        ...{ catalog: "arrays", schema: "main", name },
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

  /** Returns the kind with changed executions. */
  const executing =
    (change: (execution: Execution) => Partial<Execution>) =>
    (kind: SourceKind): Partial<SourceKind> => ({
      async begin(statement, signal) {
        const execution = await kind.begin(statement, signal);
        return { ...execution, ...change(execution) };
      },
    });
  const failing =
    (change: Partial<StatementError["failure"]>) =>
    (kind: SourceKind): Partial<SourceKind> => ({
      async begin(statement, signal) {
        try {
          return await kind.begin(statement, signal);
        } catch (error) {
          throw error instanceof StatementError ? new StatementError({ ...error.failure, ...change }) : error;
        }
      },
    });
  const user = { category: "USER", engine: "arrays", retryable: false } as const;

  it.each<[string, string, (kind: SourceKind) => Partial<SourceKind>]>([
    [
      "no revision",
      "returns the same revision",
      () => ({ revision: async () => "", hold: async () => ({ revision: "", release: async () => {} }) }),
    ],
    [
      "data of another revision",
      "returns the same revision",
      () => ({ hold: async () => ({ revision: "2", release: async () => {} }) }),
    ],
    [
      "columns that are not delivered",
      "describes the columns",
      () => ({ describe: async () => ({ columns: [], parameters: [] }) }),
    ],
    ["no tables", "lists the tables", () => ({ tables: async () => [] })],
    ["no completions", "completes a statement", () => ({ complete: async () => [] })],
    [
      "completions outside the statement",
      "completes a statement",
      () => ({
        complete: async () => [
          { text: "late", start: 5, kind: "table" as const },
          { text: "x", start: -1, kind: "table" as const },
        ],
      }),
    ],
    ["failures without a name", "fails an invalid statement", failing({ name: "" })],
    ["failures without a message", "fails an invalid statement", failing({ message: "" })],
    [
      "failures without a category of the user",
      "fails an invalid statement",
      failing({ data: { ...user, category: "INTERNAL" } }),
    ],
    ["progress above 1", "returns progress as a share", executing(() => ({ progress: () => 2 }))],
    [
      "no engine types",
      "delivers a value of each type",
      executing((execution) => ({
        async result() {
          const result = await execution.result();
          const columns = result.columns.map((column) => ({ ...column, engineType: "" }));
          return { ...result, columns } as typeof result; // spreading loses the member of the union
        },
      })),
    ],
    [
      "a cancel that fails",
      "cancels a query of another process",
      () => ({
        cancel: async () => {
          throw new Error("no such query");
        },
      }),
    ],
  ])("with %s fails the contract", async (_, name, change) => {
    const { run } = sourceKindContract.find((each) => each.name.startsWith(name)) ?? { run: async () => {} };
    await expect(run({ ...context, kind: { ...context.kind, ...change(context.kind) } })).rejects.toThrow();
  });

  it.each(["fails a result above the row limit", "fails a result above the byte limit"])(
    "with other names for too large results fails the contract, which %s",
    async (name) => {
      const { run } = sourceKindContract.find((each) => each.name.startsWith(name)) ?? { run: async () => {} };
      const write: SourceKindContext["writer"]["write"] = (...params) =>
        context.writer.write(...params).catch((error) => {
          throw error instanceof StatementError ? new StatementError({ ...error.failure, name: "Other" }) : error;
        });
      await expect(run({ ...context, writer: { ...context.writer, write } })).rejects.toThrow("Other");
    },
  );
});

describe("the service on a source of JavaScript arrays", () => {
  let server: TestServer;
  beforeAll(async () => {
    const sources = [source, { name: "samples", provider: "test" }].map(({ name, provider }) => ({
      ...{ name, provider, oldNames: false },
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
