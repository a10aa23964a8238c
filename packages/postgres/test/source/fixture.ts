import { rm } from "node:fs/promises";
import type { Source, Statement } from "@quern/adapter";
import { createResultReader, createResultWriter } from "@quern/duckdb";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { resultRows } from "../../../duckdb/test/reader/result-rows.ts";
import type { Postgres } from "../../../duckdb/test/sources/postgres.ts";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createSourceKind } from "../../src/source/source-kind.ts";
import { startOrSkip } from "../store/fixture.ts";

/** Returns the source of a database, for a role that may only read. */
export function sourceOf({ url }: Postgres, role = "quern_reader", more: Partial<Source> = {}): Source {
  const address = url.replace("//reader@", `//${role}@`);
  return { name: "shop", provider: "test", kind: "postgres", path: null, address, lowerCaseColumns: false, ...more };
}

/** Describes tests on a PostgreSQL server of their own. Where it does not start, they are one skipped test. */
export async function describeOnSource(name: string, body: (postgres: Postgres) => void): Promise<void> {
  const postgres = await startOrSkip(name);
  if (postgres === undefined) return;
  describe(name, () => {
    beforeAll(() => postgres.run("CREATE ROLE quern_reader LOGIN", "GRANT pg_read_all_data TO quern_reader"));
    afterAll(() => postgres[Symbol.asyncDispose]());
    body(postgres);
  });
}

/** Opens the adapter, with a writer and a reader of results. */
export async function openParts() {
  const directory = await temporaryDirectory();
  const options = { workDirectory: directory, spillMegabytes: 100 };
  const writer = createResultWriter(options);
  const reader = createResultReader({
    ...options,
    filteredPageTimeoutSeconds: 60,
    maxCopyBytes: 1e9,
    hasSpace: async () => true,
  });
  const kind = createSourceKind({ secret: async () => "" });
  return {
    kind,
    writer,
    read: (written: Parameters<typeof resultRows>[1]) => resultRows(reader, written),
    async close(): Promise<void> {
      await Promise.all([kind.close(), writer.close(), reader.close()]);
      await rm(directory, { recursive: true });
    },
  };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;

const caller = { runId: "run_test", attempt: 1, tenantId: "tenant", traceparent: undefined };
const limits = { timeoutSeconds: 60, maxResultBytes: 1e9, maxResultRows: 1e6 };

/** Returns a statement of a caller. */
export async function statementOf(
  { kind }: Parts,
  source: Source,
  sql: string,
  more: Partial<Statement> = {},
): Promise<Statement> {
  const data = await kind.hold(source);
  return { ...caller, userId: "ada", parameters: null, limits, source, sql, data, ...more };
}

/** Runs a statement, and returns the columns and rows of its result as the service shows them. */
export async function resultOf(parts: Parts, ...given: [source: Source, sql: string, more?: Partial<Statement>]) {
  const signal = new AbortController().signal;
  const execution = await parts.kind.begin(await statementOf(parts, ...given), signal);
  try {
    const result = await execution.result();
    if (result.form !== "encoded") throw new Error("a result of PostgreSQL is encoded");
    const written = await parts.writer.write(result, limits, signal);
    const types = written.columns.map(({ engineType, kind }) => `${engineType}: ${kind}`);
    return await parts
      .read(written)
      .then((rows) => ({ types, rows }))
      .finally(() => written.release());
  } finally {
    await execution.release();
  }
}

/** Repeats a check until it passes, for up to 30 seconds. */
export const becomes = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 30_000, interval: 50 });
