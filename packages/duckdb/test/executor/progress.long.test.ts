import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Statement } from "@quern/adapter";
import { expect, it, onTestFinished } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { createDuckDBSourceKind } from "../../src/source-kind.ts";
import type { HeldDatabases } from "../../src/sources/held-data.ts";
import { inDuckDB } from "../sources/data.ts";
import { statementLimits } from "./statement-limits.ts";

const never = new AbortController().signal;

/** Starts statements on a table of many rows. */
async function onTable() {
  const directory = await temporaryDirectory();
  const path = join(directory, "many.duckdb");
  await inDuckDB(path, "create table many as select range as n from range(3000000)");
  const places = { workDirectory: join(directory, "work"), linkDirectory: join(directory, "links") };
  const kind = createDuckDBSourceKind({ ...statementLimits, ...places, threads: 1 });
  const source = { name: "many", provider: "test", kind: "duckdb", path, lowerCaseColumns: false };
  const data = await kind.hold(source);
  onTestFinished(async () => {
    await data.release();
    await kind.close();
    await rm(directory, { recursive: true });
  });
  const caller = { runId: "run_a", attempt: 1, tenantId: "t", userId: "u", traceparent: undefined, parameters: null };
  const limits = { maxResultBytes: 1e9, maxResultRows: 1e9, timeoutSeconds: 600 };
  const begin = (sql: string) => {
    const statement: Statement<HeldDatabases> = { ...caller, sql, source, data, limits };
    return kind.begin(statement, never);
  };
  return begin;
}

// It waits for several seconds of work, which take longer on a loaded machine.
it("grows while a statement reads a table, and is 1 when its result is there", { timeout: 120_000 }, async () => {
  const begin = await onTable();
  const long = await begin("select count(distinct md5(repeat(n::varchar, 300))) as n from many");
  expect(long.progress()).toBeNull();
  const reported = new Set<number>();
  await eventually(() => {
    const share = long.progress();
    if (share !== null && share > 0 && share < 1) reported.add(share);
    return reported.size > 1;
  });
  expect([...reported]).toEqual([...reported].toSorted((one, other) => one - other));
  await long.release();

  const short = await begin("select max(n) as n from many");
  await short.result();
  expect(short.progress()).toBe(1);
  await short.release();
});
