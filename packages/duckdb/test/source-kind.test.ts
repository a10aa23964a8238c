import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "@quern/adapter";
import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { afterAll, beforeAll, describe, it } from "vitest";
import { temporaryDirectory } from "../../server/test/fixture.ts";
// The built package is used, because its processes start faster than from sources.
import { createDuckDBSourceKind, createResultReader, createResultWriter } from "../dist/index.js";
import { statementLimits } from "./executor/statement-limits.ts";
import { serviceUserIds } from "./processes/machine.ts";
import { resultRows } from "./reader/result-rows.ts";
import { inDuckDB } from "./sources/data.ts";

let directory: string;
let context: SourceKindContext;
let close: () => Promise<unknown>;
beforeAll(async () => {
  directory = await temporaryDirectory();
  const path = join(directory, "shop.duckdb");
  await inDuckDB(
    path,
    "create table orders(id bigint not null, price decimal(9,2))",
    "create schema past",
    "create view past.customers as select 'Ada' as name",
  );
  const source: Source = { name: "shop", provider: "test", kind: "duckdb", path, lowerCaseColumns: false };
  const options = { workDirectory: directory, spillMegabytes: 100, userIds: await serviceUserIds() };
  const writer = createResultWriter(options);
  const reader = createResultReader({
    ...options,
    filteredPageTimeoutSeconds: 60,
    maxCopyBytes: 1e9,
    hasSpace: async () => true,
  });
  const kind = createDuckDBSourceKind({
    ...statementLimits,
    ...options,
    linkDirectory: join(directory, "links"),
    threads: 1,
  });
  close = () => Promise.all([kind.close(), writer.close(), reader.close()]);
  context = {
    kind,
    source,
    writer,
    read: (written) => resultRows(reader, written),
    samples: {
      types: {
        sql: "select true as flag, 1 as n, 'a' as text, date '2026-11-22' as day, '\\xFF'::blob as bytes, '{}'::json as any_",
        columns: [
          { name: "flag", kind: "boolean" },
          { name: "n", kind: "number" },
          { name: "text", kind: "string" },
          { name: "day", kind: "date" },
          { name: "bytes", kind: "string" },
          { name: "any_", kind: "object" },
        ],
        rows: [[true, 1, "a", "2026-11-22", "/w==", {}]],
      },
      nulls: {
        sql: "select null::bigint as n, null::varchar[] as list, null as none",
        columns: [
          { name: "n", kind: "number" },
          { name: "list", kind: "array" },
          { name: "none", kind: "number" },
        ],
        rows: [[null, null, null]],
      },
      bigNumbers: {
        sql: "select 9007199254740993 as big, 170141183460469231731687303715884105727::hugeint as huge, 1234567890.0123456789::decimal(38,10) as price",
        columns: ["big", "huge", "price"].map((name) => ({ name, kind: "number" })),
        rows: [["9007199254740993", "170141183460469231731687303715884105727", "1234567890.0123456789"]],
      },
      timestamps: {
        sql: "select timestamp '2026-11-22 12:00:00.123456' as at, timestamp '0001-01-01 00:00:00.000001' as old",
        columns: ["at", "old"].map((name) => ({ name, kind: "date" })),
        rows: [["2026-11-22T12:00:00.123456Z", "0001-01-01T00:00:00.000001Z"]],
      },
      nested: {
        sql: "select [{'id': 9007199254740993, 'tags': ['a', null]}] as orders, map {'a': 1.10} as by_name",
        columns: [
          { name: "orders", kind: "array" },
          { name: "by_name", kind: "object" },
        ],
        rows: [[[{ id: "9007199254740993", tags: ["a", null] }], { a: 1.1 }]],
      },
      empty: { sql: "select id from orders where false", columns: [{ name: "id", kind: "number" }], rows: [] },
    },
    invalid: "select colour from orders",
    lateFailure: "select case when range < 500000 then range else error('late') end as n from range(1000000)",
    endless: "select count(*) from range(1000000000) a, range(1000000000) b where a.range = b.range + random()",
    manyRows: (count) => `select md5(range::varchar) as text from range(${count})`,
    tables: [
      {
        catalog: "shop",
        schema: "main",
        name: "orders",
        columns: [
          { name: "id", kind: "number", engineType: "BIGINT", nullable: false },
          { name: "price", kind: "number", engineType: "DECIMAL(9,2)", nullable: true },
        ],
        rowEstimate: 0,
      },
      {
        catalog: "shop",
        schema: "past",
        name: "customers",
        columns: [{ name: "name", kind: "string", engineType: "VARCHAR", nullable: true }],
      },
    ],
    completion: { sql: "select 'é', id from ord", start: 20, text: "orders" },
  };
});
afterAll(async () => {
  await close();
  await rm(directory, { recursive: true });
});

describe("a source of DuckDB files", () => {
  it.each(sourceKindContract)("$name", ({ run }) => run(context));
});
