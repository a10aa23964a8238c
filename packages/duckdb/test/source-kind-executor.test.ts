import type { Source, Statement, WrittenResult } from "@quern/adapter";
import { EngineLostError } from "@quern/adapter";
import { beforeEach, expect, it, vi } from "vitest";
import type { Executor } from "../src/executor/executor.ts";
import { sourceKindOf } from "../src/source-kind.ts";
import { type HeldDatabases, unheld } from "../src/sources/held-data.ts";
import type { SharedSources } from "../src/sources/shared-sources.ts";

const source: Source = { name: "shop", provider: "p", kind: "duckdb", path: "shop.duckdb", lowerCaseColumns: false };
const data = unheld("7", [{ name: "shop", path: "shop.duckdb" }]);
const limits = { maxResultBytes: 1e9, maxResultRows: 1e6, timeoutSeconds: 60 };
const statement: Statement<HeldDatabases> = {
  runId: "run",
  attempt: 1,
  tenantId: "t",
  userId: "u",
  traceparent: undefined,
  limits,
  source,
  sql: "select ?",
  parameters: [1],
  data,
};
/** Data of the owner, for whom an executor may reuse a process. */
const owned = { databases: data.databases, revision: "7", owner: '["t","u","shop"]' };
const query = { ...owned, sql: "select ?", parameters: [1] };
const { signal } = new AbortController();

let written: ReturnType<typeof Promise.withResolvers<WrittenResult>>;
let executor: { readonly [Name in keyof Executor]: ReturnType<typeof vi.fn<Executor[Name]>> };
beforeEach(() => {
  written = Promise.withResolvers();
  executor = {
    execute: vi.fn<Executor["execute"]>(() => written.promise),
    describe: vi.fn<Executor["describe"]>(async () => ({ columns: [], parameters: [] })),
    tables: vi.fn<Executor["tables"]>(async () => []),
    complete: vi.fn<Executor["complete"]>(async () => []),
    close: vi.fn<Executor["close"]>(async () => {}),
  };
});
const open = (shared?: SharedSources) => sourceKindOf(executor, "links", shared);

it("executes a statement for its user, with its limits, and reports the progress", async () => {
  const execution = await open().begin(statement, signal);
  expect([execution.engineQueryId, execution.progress()]).toEqual([null, null]);
  const [asked, caps, either, report] = executor.execute.mock.calls[0] ?? [];
  expect([asked, caps, either?.aborted]).toEqual([query, limits, false]);
  report?.(0.5);
  expect(execution.progress()).toBe(0.5);
  const release = vi.fn(async () => {});
  const columns = [{ name: "n", kind: "number", engineType: "BIGINT" }] as const;
  written.resolve({ path: "result.parquet", columns, rowCount: 3, release });
  const result = await execution.result();
  expect(execution.progress()).toBe(1);
  expect(result).toMatchObject({ form: "parquet", columns });
  expect(result.form === "parquet" && (await result.file())).toEqual({ path: "result.parquet", rowCount: 3 });
  expect(release).not.toHaveBeenCalled();
  await execution.release();
  expect(release).toHaveBeenCalledTimes(1);
});

it("ends a statement that is released before its end, or whose caller aborts, and reports no unhandled error", async () => {
  const execution = await open().begin(statement, signal);
  const ended = executor.execute.mock.calls[0]?.[2];
  ended?.addEventListener("abort", () => written.reject(ended.reason));
  await execution.release();
  const lost = new EngineLostError("the statement was released before its result was complete");
  expect(ended?.reason).toEqual(lost);
  await expect(execution.result()).rejects.toThrow(lost);
  const controller = new AbortController();
  await open().begin(statement, controller.signal);
  controller.abort("left");
  expect(executor.execute.mock.calls[1]?.[2].reason).toBe("left");
  await expect(open().begin(statement, AbortSignal.abort("before"))).rejects.toBe("before");
  expect(executor.execute).toHaveBeenCalledTimes(2);
});

it("describes, lists and completes for the user", async () => {
  const kind = open();
  await kind.describe(statement, signal);
  await kind.tables?.(statement, signal);
  await kind.complete?.(statement, 4, signal);
  await kind.cancel(source, "any");
  await kind.close();
  expect(executor.describe.mock.calls).toEqual([[query, signal]]);
  expect(executor.tables.mock.calls).toEqual([[owned, signal]]);
  expect(executor.complete.mock.calls).toEqual([[{ ...owned, sql: "select ?" }, 4, signal]]);
  expect(executor.close).toHaveBeenCalledTimes(1);
});

it("takes the data of a source from the shared storage, if there is one", async () => {
  const shared = { revision: vi.fn(() => "9"), hold: vi.fn(async () => data) };
  const kind = open(shared as unknown as SharedSources);
  expect(await kind.revision(source)).toBe("9");
  expect(await kind.hold(source)).toBe(data);
  expect([shared.revision.mock.calls, shared.hold.mock.calls]).toEqual([[[source]], [[source]]]);
});
