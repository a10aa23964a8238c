import type { EncodedResult, Statement } from "@quern/adapter";
import pg from "pg";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { describeStatement } from "../../src/source/description.ts";
import { beginExecution } from "../../src/source/execution.ts";
import { numbered } from "../../src/source/parameters.ts";
import { listTables } from "../../src/source/tables.ts";
import { admit } from "./admit-at-once.ts";
import { type ScriptedSession, scriptedSession } from "./scripted-client.ts";

const columns = [
  ["n", 20],
  ["day", 1082],
] as const;

let scripted: ScriptedSession;
let cancel: ReturnType<typeof vi.fn<() => Promise<void>>>;
beforeEach(() => {
  scripted = scriptedSession(() => ({ columns, parameters: [25] }));
  cancel = vi.fn(async () => {});
});

function statementOf(sql: string, parameters: Statement["parameters"] = null): Statement {
  const source = { name: "shop", provider: "p", kind: "postgres", path: null, lowerCaseColumns: false };
  const caller = { runId: "run", attempt: 1, tenantId: "t", userId: "u", traceparent: undefined };
  const limits = { timeoutSeconds: 60, maxResultBytes: 1e9, maxResultRows: 1e6 };
  const data = { revision: "unknown", release: async () => {} };
  return { ...caller, limits, source, sql, parameters, data };
}

const begin = (sql: string, parameters: Statement["parameters"] = null, signal = new AbortController().signal) =>
  beginExecution(scripted.session, statementOf(sql, parameters), signal, cancel);

async function textOf({ parts }: EncodedResult): Promise<string> {
  let text = "";
  for await (const part of parts) for await (const piece of part) text += Buffer.from(piece).toString();
  return text;
}

/** Queries that are not those of the catalog. */
const sent = () => scripted.sent.filter((text) => !text.includes("format_type"));
const day =
  "CASE WHEN isfinite(c1) AND c1 < '0001-01-01' THEN regexp_replace(c1::text, '^(\\S+)(.*) BC$', '\\1 (BC)\\2') ELSE c1::text END";
const selectOf = (text: string) => `SELECT c0, ${day} FROM (\n${text}\n) AS q(c0, c1)`;

describe("an execution", () => {
  it("binds values that are not in its text, and delivers its rows as CSV", async () => {
    const execution = await begin("select n, day from t where a = $x;", { x: "it's" });
    expect(execution.engineQueryId).toBe("7/8");
    expect(execution.progress()).toBeNull();
    const { bound } = scripted;
    for (const fields of [
      ["1", 'a "b"'],
      [null, ""],
      ["2", "x\ny,"],
    ])
      bound?.handleDataRow({ fields });
    bound?.handleCommandComplete({ text: "SELECT 3" });
    bound?.handleReadyForQuery();
    const result = (await execution.result()) as EncodedResult;
    expect(result).toMatchObject({
      form: "encoded",
      encoding: "csv",
      columns: [
        { name: "n", engineType: "bigint", storedType: "BIGINT" },
        { name: "day", engineType: "date", storedType: "DATE" },
      ],
    });
    expect(await textOf(result)).toBe('1,"a ""b"""\n,""\n2,"x\ny,"\n');
    expect(result.rowCount?.()).toBe(3);
    expect(sent()).toEqual([
      "DESCRIBE select n, day from t where a = $1",
      "SET LOCAL statement_timeout = 65000",
      `PARSE ${JSON.stringify({ name: "", text: selectOf("select n, day from t where a = $1"), types: ["25"] })}`,
      `BIND ${JSON.stringify({ portal: "", statement: "", values: ["it's"] })}`,
      `EXECUTE ${JSON.stringify({ portal: "" })}`,
    ]);
    await execution.release();
    expect([scripted.isEnded, cancel.mock.calls.length]).toEqual([true, 0]);
  });

  it("with bound values reads the socket as fast as its rows are read, and fails with the error of the server", async () => {
    const execution = await begin("select n, day from t where a = $x", { x: 1 });
    const paused = vi.spyOn(scripted.socket, "pause");
    const resumed = vi.spyOn(scripted.socket, "resume");
    const { bound } = scripted;
    bound?.handleDataRow({ fields: ["1", "x".repeat(70_000)] });
    expect([paused.mock.calls.length, resumed.mock.calls.length]).toEqual([1, 0]);
    const result = (await execution.result()) as EncodedResult;
    await vi.waitFor(() => expect(resumed).toHaveBeenCalled());
    bound?.handleError(Object.assign(new pg.DatabaseError("division by zero", 1, "error"), { code: "22012" }));
    bound?.handleReadyForQuery();
    await expect(textOf(result)).rejects.toMatchObject({ failure: { name: "DivisionByZero" } });
    await execution.release();
  });

  it("copies the rows of a statement without parameters, and has a part without rows", async () => {
    scripted = scriptedSession(() => ({ columns }));
    const execution = await begin("select n, day from t");
    scripted.copy.end();
    expect(await textOf((await execution.result()) as EncodedResult)).toBe("");
    const text = selectOf("select n, day from t");
    expect(sent().slice(2)).toEqual([`COPY (${text}) TO STDOUT (FORMAT csv)`]);
  });

  it("is refused by the gate, without columns, and without the values of its parameters", async () => {
    await expect(begin("delete from t")).rejects.toMatchObject({ failure: { name: "StatementNotAllowed" } });
    expect(scripted.sent).toEqual([]);
    await expect(begin("select $x")).rejects.toMatchObject({ failure: { name: "ParameterError" } });
    scripted = scriptedSession(() => ({}));
    await expect(begin("select")).rejects.toMatchObject({
      failure: {
        name: "StatementNotAllowed",
        message: "Statement not allowed: its result has no columns; select at least one.",
        data: { category: "USER", engine: "postgres", retryable: false },
      },
    });
  });

  it("that is aborted before it begins runs no COPY", async () => {
    await expect(begin("select n from t", null, AbortSignal.abort("left"))).rejects.toBe("left");
    expect(sent().at(-1)).toBe("SET LOCAL statement_timeout = 65000");
  });

  it("fails with the error of the server", async () => {
    const execution = await begin("select n, day from t", null);
    const error = Object.assign(new pg.DatabaseError("division by zero", 1, "error"), { code: "22012" });
    scripted.copy.write("1,\n");
    const result = (await execution.result()) as EncodedResult;
    scripted.copy.destroy(error);
    await expect(textOf(result)).rejects.toMatchObject({ failure: { name: "DivisionByZero" } });
    await execution.release();
  });
});

describe("the end of an execution", () => {
  beforeEach(() => {
    scripted = scriptedSession(() => ({ columns }));
  });

  it("before its rows cancels it, and then ends the connection", async () => {
    const canceled = Promise.withResolvers<void>();
    cancel.mockReturnValue(canceled.promise);
    const execution = await begin("select n, day from t");
    const result = execution.result();
    await execution.release();
    await expect(result).rejects.toThrow("the query was stopped");
    expect([cancel.mock.calls.length, scripted.copy.destroyed]).toEqual([1, true]);
    expect(scripted.isEnded).toBe(false);
    canceled.resolve();
    await vi.waitFor(() => expect(scripted.isEnded).toBe(true));
  });

  it("with an abort fails the rows with its reason, also if the cancellation fails", async () => {
    cancel.mockRejectedValue(new Error("no connection"));
    const controller = new AbortController();
    const execution = await begin("select n, day from t", null, controller.signal);
    const result = execution.result();
    controller.abort("left");
    await expect(result).rejects.toBe("left");
    await vi.waitFor(() => expect(scripted.isEnded).toBe(true));
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it("after its rows cancels nothing, also with an abort", async () => {
    const controller = new AbortController();
    const execution = await begin("select n, day from t", null, controller.signal);
    scripted.copy.end("1,\n");
    await textOf((await execution.result()) as EncodedResult);
    controller.abort("late");
    expect(cancel).not.toHaveBeenCalled();
    await execution.release();
    expect(scripted.isEnded).toBe(true);
  });

  it("after its release listens to no abort", async () => {
    const controller = new AbortController();
    const execution = await begin("select n, day from t", null, controller.signal);
    await execution.release();
    controller.abort("late");
    expect(cancel).toHaveBeenCalledTimes(1);
  });
});

describe("the description of a statement", () => {
  const of = (sql: string) => numbered(admit(sql), null);

  it("has its columns, and the types of its parameters", async () => {
    const { session } = scriptedSession(() => ({ columns, parameters: [20, 25] }));
    const described = await describeStatement(session.client, of("select $b, $a"));
    expect(described.columns.map(({ name, kind, engineType }) => [name, kind, engineType])).toEqual([
      ["n", "number", "bigint"],
      ["day", "date", "date"],
    ]);
    expect(described.parameters).toEqual([
      { name: "b", type: "bigint" },
      { name: "a", type: "text" },
    ]);
  });

  it("reads no catalog without columns and parameters", async () => {
    const { session, sent: queries } = scriptedSession(() => ({}));
    expect(await describeStatement(session.client, of("select"))).toEqual({
      columns: [],
      parameters: [],
      parameterTypes: [],
    });
    expect(queries).toEqual(["DESCRIBE select"]);
  });

  it("gives a parameter that the server does not know no type", async () => {
    const { session } = scriptedSession(() => ({ columns }));
    expect((await describeStatement(session.client, of("select $a"))).parameters).toEqual([{ name: "a", type: null }]);
  });

  it("fails with the place of the error in the statement of the caller", async () => {
    const error = Object.assign(new pg.DatabaseError("no column", 1, "error"), { code: "42703", position: "12" });
    const { session } = scriptedSession(() => ({ error }));
    await expect(describeStatement(session.client, of("select $name, x"))).rejects.toMatchObject({
      failure: { name: "UndefinedColumn", data: { position: 14 } },
    });
  });
});

it("lists each table once, with its columns in their order", async () => {
  const row = (schema: string, table: string, name: string, oid: number, nullable: boolean) => ({
    catalog: "shop",
    schema,
    table,
    name,
    oid,
    mod: -1,
    nullable,
    comment: name === "day" ? "of the visit" : null,
    tableComment: schema === "a" ? "Visits" : null,
    primaryKey: schema === "a" ? ["day", "id"] : null,
    rowEstimate: schema === "a" ? 41.7 : -1,
  });
  const { session } = scriptedSession(
    () => ({}),
    (sql) =>
      sql.includes("pg_class")
        ? [row("a", "t", "id", 20, false), row("a", "t", "day", 1082, true), row("b", "t", "id", 25, true)]
        : [],
  );
  expect(await listTables(session.client)).toEqual([
    {
      catalog: "shop",
      schema: "a",
      name: "t",
      comment: "Visits",
      primaryKey: ["day", "id"],
      rowEstimate: 42,
      columns: [
        { name: "id", kind: "number", engineType: "bigint", nullable: false },
        { name: "day", kind: "date", engineType: "date", nullable: true, comment: "of the visit" },
      ],
    },
    {
      catalog: "shop",
      schema: "b",
      name: "t",
      columns: [{ name: "id", kind: "string", engineType: "text", nullable: true }],
    },
  ]);
});
