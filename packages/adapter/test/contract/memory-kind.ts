import type { Sample, SourceKindContext } from "../../src/contract/source-kind/context.ts";
import { EngineLostError, StatementError, type StatementFailure } from "../../src/error.ts";
import type { EngineColumn, EngineResult, ResultWriter, WrittenResult } from "../../src/result.ts";
import type { Source } from "../../src/source.ts";
import type { Execution, SourceKind, SourceTable } from "../../src/source-kind.ts";
import type { Query, ResultCaps } from "../../src/statement.ts";

/** Deviation of an implementation from the contract. */
export type KindFault =
  | "columns have other names"
  | "columns have other kinds"
  | "columns have no engine type"
  | "last row is lost"
  | "values are others"
  | "row count is wrong"
  | "statements share their rows"
  | "row limit is not checked"
  | "row limit is one less"
  | "byte limit is not checked"
  | "limits have other names"
  | "progress is above 1"
  | "progress is below 0"
  | "progress is above 1 at last"
  | "progress is above 1 while it runs"
  | "progress is above 1 after the release"
  | "failures have no name"
  | "failures have no message"
  | "failures have another category"
  | "failures are plain errors"
  | "invalid statements succeed"
  | "late failures are ignored"
  | "late failures end the engine"
  | "aborts have another reason"
  | "aborted signals are ignored"
  | "ended statements succeed"
  | "second cancel rejects"
  | "unknown queries cannot be canceled"
  | "losses are other errors"
  | "new statements survive a loss"
  | "engine stays lost"
  | "revision is empty"
  | "revision changes"
  | "data has another revision"
  | "described columns have other names"
  | "invalid statements are described"
  | "tables are not listed"
  | "tables lack columns"
  | "completion starts elsewhere"
  | "completions begin before the statement"
  | "completions begin after the statement";

type Form = Exclude<EngineResult["form"], "cells">;

const source: Source = { name: "memory", provider: "test", kind: "memory", path: null, lowerCaseColumns: false };
const sampleOf = (sql: string, rows: Sample["rows"]): Sample => ({
  sql,
  rows,
  columns: [{ name: "a", kind: "number" }],
});
const tableOf = (schema: string, name: string): SourceTable => ({
  catalog: "memory",
  schema,
  name,
  columns: [{ name: "a", kind: "number", engineType: "INTEGER", nullable: true }],
});

/** Source kind in memory that delivers its results in one form, with at most one fault. */
export function memoryKind(form: Form, fault?: KindFault) {
  /** Numbers of what is held, executed or written, and not released yet. */
  const open = { data: 0, executions: 0, written: 0 };
  const running = new Map<string, AbortController>();
  const known = new Set<string>();
  const files = new Map<string, readonly (readonly unknown[])[]>();
  let isLost = false;
  let begun = 0;
  let revisions = 0;
  let order = 0;

  const failed = (name: string, category: StatementFailure["data"]["category"] = "USER"): Error => {
    if (fault === "failures are plain errors") return new Error(name);
    return new StatementError({
      name: fault === "failures have no name" ? "" : name,
      message: fault === "failures have no message" ? "" : `it failed: ${name}`,
      data: { category: fault === "failures have another category" ? "INTERNAL" : category },
    });
  };
  const lost = (): Error => (fault === "losses are other errors" ? new Error("lost") : new EngineLostError("lost"));

  const samples = {
    types: sampleOf("types", [[1]]),
    nulls: sampleOf("nulls", [[null]]),
    bigNumbers: sampleOf("big", [["9007199254740993"]]),
    timestamps: sampleOf("times", [["2026-11-22T12:00:00.123456Z"]]),
    nested: sampleOf("nested", [[[{ a: 1 }]]]),
    empty: sampleOf("empty", []),
  };

  /** Refuses a query without its caller, source or snapshot. */
  function checkQuery(query: Partial<Query>): void {
    if (query.source !== source || query.data?.revision === undefined || open.data === 0) throw new Error("no data");
    if (query.tenantId !== "tenant_contract" || query.userId !== "user_contract") throw new Error("no caller");
    if ("sql" in query && !("parameters" in query) && !query.sql?.startsWith("from")) throw new Error("no parameters");
  }

  function check(sql: string, isDescribed = false): void {
    if (fault === (isDescribed ? "invalid statements are described" : "invalid statements succeed")) return;
    if (sql === "invalid") throw failed("Invalid");
  }

  async function* rowsOf(sql: string, signal: AbortSignal): AsyncGenerator<readonly unknown[]> {
    const sample = Object.values(samples).find((each) => each.sql === sql);
    const shared = fault === "statements share their rows" && running.size > 1;
    if (sample !== undefined) {
      const rows = fault === "values are others" ? sample.rows.map(() => ["other"]) : sample.rows;
      yield* (shared ? [[0]] : rows).slice(0, fault === "last row is lost" ? -1 : undefined);
      return;
    }
    const count = Number(sql.replace("many ", ""));
    if (count > 0) for (let row = 0; row < count; row += 1) yield [`row ${row} of ${count}`];
    if (sql === "endless") {
      yield ["first"];
      await ended(signal).catch((reason: unknown) => {
        if (fault !== "ended statements succeed") throw reason;
      });
    }
    if (sql !== "late" || fault === "late failures are ignored") return;
    yield ["first"];
    if (fault === "late failures end the engine") isLost = true;
    throw failed("Late");
  }

  /** Rejects with the reason of a signal. */
  const ended = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason));
    });

  /** Stores rows below the caps as a file. */
  async function store(rows: AsyncIterable<readonly unknown[]>, caps: ResultCaps) {
    const tooLarge = () => failed(fault === "limits have other names" ? "Other" : "ResultTooLarge", "RESOURCE");
    const stored: (readonly unknown[])[] = [];
    let bytes = 0;
    for await (const row of rows) {
      stored.push(row);
      bytes += JSON.stringify(row).length;
      const maxRows = caps.maxResultRows - (fault === "row limit is one less" ? 1 : 0);
      if (stored.length > maxRows && fault !== "row limit is not checked") throw tooLarge();
      if (bytes > caps.maxResultBytes && fault !== "byte limit is not checked") throw tooLarge();
    }
    const path = `file ${files.size}`;
    files.set(path, stored);
    return { path, rowCount: stored.length + (fault === "row count is wrong" ? 1 : 0) };
  }

  const column = {
    name: fault === "columns have other names" ? "b" : "a",
    kind: fault === "columns have other kinds" ? ("string" as const) : ("number" as const),
    engineType: fault === "columns have no engine type" ? "" : "INTEGER",
  };
  const engineColumns: readonly EngineColumn[] = [{ ...column, storedType: "INTEGER" }];
  const encoder = new TextEncoder();

  const kind: SourceKind = {
    async revision() {
      if (fault === "revision is empty") return "";
      return fault === "revision changes" ? String(++revisions) : "1";
    },
    async hold() {
      open.data += 1;
      const revision = fault === "revision is empty" ? "" : fault === "data has another revision" ? "2" : "1";
      return {
        revision,
        async release() {
          open.data -= 1;
        },
      };
    },
    async describe(query) {
      checkQuery(query);
      check(query.sql, true);
      const name = fault === "described columns have other names" ? "b" : "a";
      return { columns: [{ name, kind: "number", engineType: "INTEGER" }], parameters: [] };
    },
    async begin(statement, callerSignal): Promise<Execution> {
      const { sql, limits, runId, attempt } = statement;
      checkQuery(statement);
      if (known.has(runId) || attempt !== 1 || limits.timeoutSeconds < 1) throw new Error("no new run");
      known.add(runId);
      if (fault !== "aborted signals are ignored") callerSignal.throwIfAborted();
      if (isLost && fault !== "new statements survive a loss") throw lost();
      check(sql);
      open.executions += 1;
      const engineQueryId = `query ${++begun}`;
      const controller = new AbortController();
      running.set(engineQueryId, controller);
      callerSignal.addEventListener("abort", () => {
        const reason = fault === "aborts have another reason" ? new Error("another") : callerSignal.reason;
        controller.abort(reason);
      });
      let state: "begun" | "running" | "delivered" | "released" = "begun";
      const rows = () => rowsOf(sql, controller.signal);
      return {
        engineQueryId,
        progress() {
          if (fault === "progress is above 1") return 1.1;
          if (fault === "progress is below 0") return -0.1;
          if (fault === "progress is above 1 at last" && state === "delivered") return 2;
          if (fault === "progress is above 1 while it runs" && order > 0 && sql === "endless") return 2;
          if (fault === "progress is above 1 after the release" && state === "released") return 2;
          return [0, 0.5, 1, null][["begun", "running", "delivered", "released"].indexOf(state)] ?? null;
        },
        async result(): Promise<EngineResult> {
          state = "running";
          order += sql === "types" ? 1 : 0;
          await Promise.resolve();
          state = "delivered";
          if (form === "parquet") return { form, columns: [column], file: () => store(rows(), limits) };
          if (form === "rows") return { form, columns: engineColumns, rows: rows() };
          async function* parts() {
            for await (const row of rows())
              yield (async function* () {
                yield encoder.encode(JSON.stringify([row]));
              })();
          }
          return { form, encoding: "json", columns: engineColumns, parts: parts() };
        },
        async release() {
          state = "released";
          open.executions -= 1;
          running.delete(engineQueryId);
          controller.abort(new Error("it was released"));
        },
      };
    },
    async cancel(_, id) {
      if (running.get(id)?.signal.aborted && fault === "second cancel rejects") throw new Error("it has ended");
      if (!running.has(id) && fault === "unknown queries cannot be canceled") throw new Error("unknown query");
      running.get(id)?.abort(new Error("it was canceled"));
    },
    async tables(query) {
      checkQuery(query);
      if (fault === "tables are not listed") return [];
      const listed = [tableOf("b", "a"), tableOf("a", "b"), tableOf("a", "a")];
      return fault === "tables lack columns" ? listed.map((table) => ({ ...table, columns: [] })) : listed;
    },
    async complete(query, position) {
      checkQuery(query);
      const { sql } = query;
      const start = fault === "completion starts elsewhere" ? 0 : position - 2;
      const other =
        fault === "completions begin before the statement"
          ? -1
          : fault === "completions begin after the statement"
            ? sql.length + 1
            : sql.length;
      return [
        { text: "other", start: other, kind: null },
        { text: "types", start, kind: "table" },
        { text: "zero", start: 0, kind: null },
      ];
    },
    async close() {},
  };

  const writer: ResultWriter = {
    async write(result, caps): Promise<WrittenResult> {
      async function* decoded(): AsyncGenerator<readonly unknown[]> {
        if (result.form === "rows") return yield* result.rows;
        for await (const part of result.parts)
          for await (const bytes of part) yield* JSON.parse(new TextDecoder().decode(bytes));
      }
      const file = await store(decoded(), caps);
      open.written += 1;
      const release = async (): Promise<void> => {
        open.written -= 1;
      };
      return { ...file, columns: [column], release };
    },
    async close() {},
  };

  const context: SourceKindContext = {
    kind,
    source,
    writer,
    samples,
    read: async ({ path }) => files.get(path) ?? [],
    invalid: "invalid",
    lateFailure: "late",
    endless: "endless",
    manyRows: (count) => `many ${count}`,
    tables: [tableOf("a", "b"), tableOf("b", "a"), tableOf("a", "a")],
    completion: { sql: "from ty", start: 5, text: "types" },
    restart: {
      async stop() {
        isLost = true;
        for (const controller of running.values()) controller.abort(lost());
      },
      async start() {
        if (fault !== "engine stays lost") isLost = false;
      },
    },
  };
  return { context, open };
}
