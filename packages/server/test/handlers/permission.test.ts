import type { CreateQueryRunResult, ListQueryRunsResult } from "@quern/protocol/types";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "../fixture.ts";
import { type Caller, caller, callWith } from "../identity/callers.ts";

let server: TestServer;
beforeAll(async () => {
  const sources = [
    { name: "open", provider: "quern" },
    { name: "closed", provider: "quern" },
  ];
  server = await startServer({ sources, kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

async function created({ call }: Caller, params: object): Promise<CreateQueryRunResult> {
  const { result, error } = await call("createQueryRun", { waitSeconds: 20, ...params });
  if (result === undefined) throw new Error(`refused: ${JSON.stringify(error)}`);
  return result as unknown as CreateQueryRunResult; // the result of the method
}

const notFound = { status: 200, error: { code: -32099 } };

describe("a scope", () => {
  const ofMethod: Readonly<Record<string, string>> = {
    createQueryRun: "run",
    createUpload: "run",
    describeQuery: "run",
    listTables: "run",
    completeSql: "run",
    getQueryRun: "read",
    getQueryRunResults: "read",
    getQueryRunDownload: "read",
    getSqlStatement: "read",
    listQueryRuns: "read",
    getColumnProfile: "read",
    summarizeQueryRunResults: "read",
    getUsage: "tenant:admin",
    getLimits: "tenant:admin",
    cancelQueryRun: "cancel",
  };
  const params: Readonly<Record<string, object>> = {
    createQueryRun: { sql: "select 1" },
    createUpload: { format: "csv", bytes: 1 },
    describeQuery: { sql: "select 1" },
    listTables: {},
    completeSql: { sql: "select 1" },
    getSqlStatement: { sqlStatementId: "st" },
    listQueryRuns: {},
    getUsage: {},
    getLimits: {},
    getColumnProfile: { queryRunId: "run", column: "n" },
    summarizeQueryRunResults: { queryRunId: "run", groupBy: [{ column: "n" }], measures: [{ function: "count" }] },
    getQueryRunDownload: { queryRunId: "run", format: "csv" },
  };

  it.each(document.methods.map(({ name }) => name))("is needed for %s, else it answers 403", async (method) => {
    const scope = ofMethod[method] ?? "";
    const others = ["run", "read", "cancel", "tenant:admin"].filter((each) => each !== scope);
    const without = await caller(server, { scopes: others });
    const given = params[method] ?? { queryRunId: "run" };
    expect(await without.call(method, given)).toMatchObject({ status: 403, error: { code: -32163 } });
    const having = await caller(server, { scopes: [scope] });
    expect((await having.call(method, given)).status).toBe(200);
  });

  it("refuses only its member of a batch", async () => {
    const { key } = await caller(server, { scopes: ["read"] });
    const member = (id: number, method: string, param: object) => ({ jsonrpc: "2.0", id, method, params: [param] });
    const batch = [member(1, "createQueryRun", { sql: "select 1" }), member(2, "listQueryRuns", {})];
    const response = await callWith(server.url, { "x-api-key": key }, batch);
    expect(response.status).toBe(200);
    const answers = (await response.json()) as { id: number }[];
    expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([{ error: { code: -32163 } }, { result: {} }]);
  });
});

describe("a user", () => {
  it("sees and cancels their own runs; an administrator all of the tenant's; another tenant none", async () => {
    const ann = await caller(server, { tenant: "acme", user: "ann" });
    const bob = await caller(server, { tenant: "acme", user: "bob" });
    const admin = await caller(server, { tenant: "acme", user: "eve", scopes: ["read", "cancel", "tenant:admin"] });
    // The same name in another tenant, with all rights there.
    const stranger = await caller(server, {
      tenant: "rival",
      user: "ann",
      scopes: ["run", "read", "cancel", "tenant:admin"],
    });
    const { queryRun, sqlStatement } = await created(ann, { sql: "select 'of ann' as word" });
    const run = { queryRunId: queryRun.id };
    const statement = { sqlStatementId: sqlStatement.id };

    for (const other of [bob, stranger]) {
      for (const method of ["getQueryRun", "getQueryRunResults", "cancelQueryRun"])
        expect(await other.call(method, run)).toMatchObject(notFound);
      expect(await other.call("getSqlStatement", statement)).toMatchObject({ error: { code: -32100 } });
      expect((await other.call("listQueryRuns")).result).toMatchObject({ queryRuns: [] });
    }
    for (const one of [ann, admin]) {
      expect((await one.call("getQueryRunResults", run)).result).toMatchObject({ rows: [["of ann"]] });
      expect((await one.call("getSqlStatement", statement)).result).toMatchObject({
        sqlStatement: { sql: "select 'of ann' as word" },
      });
      const listed = (await one.call("listQueryRuns")).result as unknown as ListQueryRunsResult;
      expect(listed.queryRuns.map(({ id }) => id)).toEqual([queryRun.id]);
      // It is found, and has ended.
      expect(await one.call("cancelQueryRun", run)).toMatchObject({ error: { code: -32165 } });
    }
  });

  it("sees a run of another user of the tenant that answers their own request", async () => {
    const ann = await caller(server, { tenant: "shared", user: "ann" });
    const bob = await caller(server, { tenant: "shared", user: "bob" });
    const sql = "select 'of both' as word";
    const first = await created(ann, { sql });
    const second = await created(bob, { sql, maxAgeMinutes: 60 });
    expect(second.queryRun.id).toBe(first.queryRun.id);
    expect((await bob.call("getQueryRunResults", { queryRunId: first.queryRun.id })).result).toMatchObject({
      rows: [["of both"]],
    });
    const statement = await bob.call("getSqlStatement", { sqlStatementId: first.sqlStatement.id });
    expect(statement.result).toMatchObject({ sqlStatement: { sql } });
  });

  it("learns of another user neither source, columns, tags nor name, where they have sent the same text", async () => {
    const ann = await caller(server, { tenant: "layoffs", user: "ann" });
    const bob = await caller(server, { tenant: "layoffs", user: "bob", sources: ["open"] });
    const sql = "select 1 as secret_salary_column";
    const anns = await created(ann, { sql, dataSource: "closed", tags: { project: "secret" } });
    const call = { sql, dataSource: "open", tags: { mine: "yes" } };
    const waiting = await created(bob, { ...call, waitSeconds: 0 });
    expect(waiting.sqlStatement).toMatchObject({ userId: "bob", tags: { mine: "yes" }, columnMetadata: null });
    await created(bob, call);
    const { sqlStatementId } = anns.queryRun;
    const statementOf = async ({ call }: Caller) =>
      (await call("getSqlStatement", { sqlStatementId })).result?.sqlStatement;
    const columnMetadata = { columns: ["secret_salary_column"] };
    expect(await statementOf(bob)).toMatchObject({ sql, userId: "bob", tags: { mine: "yes" }, columnMetadata });
    expect(await statementOf(ann)).toMatchObject({ sql, userId: "ann", tags: { project: "secret" }, columnMetadata });
    const elsewhere = await caller(server, { tenant: "layoffs", user: "ann", sources: ["open"] });
    expect(await elsewhere.call("getSqlStatement", { sqlStatementId })).toMatchObject({ error: { code: -32100 } });
  });

  it("lists a run of another user that answers their own request, and withdraws no request but their own", async () => {
    const ann = await caller(server, { tenant: "joint", user: "ann" });
    const bob = await caller(server, { tenant: "joint", user: "bob" });
    const admin = await caller(server, { tenant: "joint", user: "eve", scopes: ["cancel", "tenant:admin"] });
    // Long enough to be joined, short enough to end should the test not.
    const sql = "select count(*) as n from range(100000) a, range(100000) b where a.range <> b.range";
    const first = await created(ann, { sql, waitSeconds: 0, maxAgeMinutes: 1 });
    const second = await created(bob, { sql, waitSeconds: 0, maxAgeMinutes: 1 });
    const queryRunId = first.queryRun.id;
    const listed = (await bob.call("listQueryRuns")).result as unknown as ListQueryRunsResult;
    expect(listed.queryRuns.map(({ id }) => id)).toEqual([queryRunId]);
    const withdraw = ({ call }: Caller, { queryRequest }: CreateQueryRunResult) =>
      call("cancelQueryRun", { queryRunId, queryRequestId: queryRequest.id });
    expect(await withdraw(bob, first)).toMatchObject(notFound);
    expect((await withdraw(bob, second)).result).toMatchObject({ queryRun: { endedAt: null } });
    expect((await withdraw(admin, first)).result).toMatchObject({ queryRun: { state: "QUERY_STATE_CANCELED" } });
  });
});

describe("a key", () => {
  it("queries only its sources, and reads only runs on them", async () => {
    const everywhere = await caller(server, { user: "ann" });
    const limited = await caller(server, { user: "ann", sources: ["open"] });
    const closed = await created(everywhere, { sql: "select 1 as n", dataSource: "closed" });
    const open = await created(limited, { sql: "select 1 as n", dataSource: "open" });

    for (const method of ["createQueryRun", "describeQuery"])
      expect(await limited.call(method, { sql: "select 1", dataSource: "closed" })).toMatchObject({
        status: 200,
        error: { code: -32164, data: { dataSource: "closed" } },
      });
    expect(await limited.call("getQueryRun", { queryRunId: closed.queryRun.id })).toMatchObject(notFound);
    const listed = (await limited.call("listQueryRuns")).result as unknown as ListQueryRunsResult;
    expect(listed.queryRuns.map(({ id }) => id)).toEqual([open.queryRun.id]);
  });

  it("is taken only from its origins, where a browser says one", async () => {
    const { call } = await caller(server, { origins: ["https://app.example.com"] });
    expect((await call("listQueryRuns")).status).toBe(200);
    expect((await call("listQueryRuns", {}, { origin: "https://app.example.com" })).status).toBe(200);
    for (const origin of ["https://evil.example", "https://app.example.com.evil.example", "null"])
      expect(await call("listQueryRuns", {}, { origin })).toMatchObject({ status: 403, error: { code: -32163 } });
  });
});
