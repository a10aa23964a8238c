import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type EncodedResult, EngineLostError, type Execution, type Source } from "@quern/adapter";
import { describe, expect, it } from "vitest";
import { createSourceKind } from "../src/source-kind.ts";
import { never, sourceAt, statementOn, withoutSecrets } from "./fixture.ts";
import { endless, type Reply, rowsHeaders, type StandIn, startStandIn, unknownTable } from "./server.ts";

const kind = createSourceKind(withoutSecrets);
const at = ({ host }: StandIn, change: Partial<Source> = {}): Source =>
  sourceAt(`clickhouse://reader@${host}/shop`, change);
const begin = (server: StandIn, sql = "SELECT 1"): Promise<Execution> =>
  kind.begin(statementOn(at(server), sql), never);

/** Runs a statement, and returns the text of its parts. */
async function partsOf(server: StandIn, sql = "SELECT 1"): Promise<readonly string[]> {
  const execution = await begin(server, sql);
  try {
    const { parts } = (await execution.result()) as EncodedResult;
    const texts: string[] = [];
    for await (const part of parts) for await (const bytes of part) texts.push(Buffer.from(bytes).toString());
    return texts;
  } finally {
    await execution.release();
  }
}

const startReply = (reply: Reply): Promise<StandIn> => startStandIn(() => reply);
const startRows = (body: string | Uint8Array, change: Partial<Reply> = {}): Promise<StandIn> =>
  startReply({ headers: rowsHeaders, body, ...change });
const head = '["n"]\n["Int64"]\n';

describe("a query", () => {
  it("delivers its rows as they are", async () => {
    await using server = await startRows(`${head}[9007199254740993]\n[ 1.10 ]\n["a\\n"]\n`);
    expect(await partsOf(server)).toEqual(['[[9007199254740993],[ 1.10 ],["a\\n"]]']);
  });

  it("delivers rows that are larger than a chunk of the connection", async () => {
    const rows = Array.from({ length: 3 }, (_, n) => `["${String(n).repeat(200_000)}"]`);
    await using server = await startRows(`${head}${rows.join("\n")}\n`);
    const delivered: unknown[] = (await partsOf(server)).flatMap((part) => JSON.parse(part));
    expect(delivered).toEqual(rows.map((row) => JSON.parse(row)));
  });

  it("refuses a row that is larger than the writer of results accepts", async () => {
    await using server = await startRows(`${head}["${"x".repeat(17_000_000)}"]\n`);
    await expect(partsOf(server)).rejects.toMatchObject({
      failure: {
        name: "ResultTooLarge",
        message: "A row of the result is larger than 16777216 bytes; select shorter values.",
      },
    });
  });

  it("sends its id, limits, owner, trace and parameters, and reads only", async () => {
    await using server = await startRows(head);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const change = { traceparent, tags: { team: "é", empty: null }, parameters: { p: "a\tb\\'", n: null }, attempt: 2 };
    const statement = statementOn(at(server), "SELECT {p:String}, {n:Nullable(Int8)};", change);
    const execution = await kind.begin(statement, never);
    await execution.result();
    await execution.release();
    expect(execution.engineQueryId).toBe("run_1-2");
    const [request] = server.received;
    expect(request?.sql).toBe("SELECT {p:String}, {n:Nullable(Int8)}");
    expect(request?.query).toMatchObject({
      query_id: "run_1-2",
      readonly: "1",
      wait_end_of_query: "1",
      max_execution_time: "600",
      database: "shop",
      max_result_rows: "1000000000",
      result_overflow_mode: "throw",
      session_timezone: "UTC",
      // "Query parameters are parsed from the escaped format": https://clickhouse.com/docs/interfaces/http#tabs-in-url-parameters
      param_p: "a\\tb\\\\\\'",
      param_n: "\\N",
    });
    expect(JSON.parse(request?.query.log_comment ?? "")).toEqual({
      queryRunId: "run_1",
      tenantId: "tenant",
      userId: "user@example.org",
      traceparent,
      tags: { team: "é", empty: null },
    });
    expect(request?.headers).toMatchObject({ traceparent, authorization: `Basic ${btoa("reader:")}` });
    expect(server.received).toHaveLength(1);
  });

  it("is killed by its id when it is released before its end, and not after it", async () => {
    await using server = await startStandIn();
    const execution = await begin(server, endless);
    const ended = execution.result().catch((error: unknown) => error);
    await expect.poll(() => server.received.length).toBe(1);
    await execution.release();
    expect(await ended).toBeInstanceOf(Error);
    const [, kill] = server.received;
    expect(kill).toMatchObject({ sql: "KILL QUERY WHERE query_id = {id:String} SYNC", query: { param_id: "run_1-1" } });
    expect(kill?.query.readonly).toBeUndefined();
    await expect(partsOf(server, "SELECT nothing FROM nowhere")).rejects.toThrow();
    expect(server.received).toHaveLength(3);
  });

  it("runs as the user of the call, with the password of this user", async () => {
    await using server = await startRows(head);
    const source = sourceAt(`clickhouse://quern_{user}@${server.host}/shop`, {
      runAs: "user",
      password: { file: "/run/secrets/{user}" },
    });
    const places: unknown[] = [];
    const secret = async (place: unknown): Promise<string> => {
      places.push(place);
      return "pass";
    };
    const ofUser = createSourceKind({ secret });
    const execution = await ofUser.begin(statementOn(source, "SELECT 1"), never);
    await execution.result();
    await execution.release();
    await ofUser.cancel(source, "q", { tenantId: "tenant", userId: "bob" });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${btoa("quern_user@example.org:pass")}`,
      `Basic ${btoa("quern_bob:pass")}`,
    ]);
    expect(places).toEqual([{ file: "/run/secrets/user@example.org" }, { file: "/run/secrets/bob" }]);
    const asFixed: Source = { ...source, runAs: "fixed", address: `clickhouse://reader@${server.host}/shop` };
    for (const each of [source, asFixed])
      for (const userId of ["x:y@z/../a", "..", ".", ""]) {
        const forged = ofUser.begin(statementOn(each, "SELECT 1", { userId }), never);
        await expect(forged).rejects.toMatchObject({ failure: { name: "InvalidUser" } });
      }
    expect(places).toHaveLength(2);
  });

  it("reports its progress from system.processes", async () => {
    const progress = { headers: rowsHeaders, body: '["share"]\n["Float64"]\n[0.25]\n' };
    await using server = await startStandIn(({ sql }) => (sql === endless ? undefined : progress));
    const execution = await begin(server, endless);
    expect(execution.progress()).toBeNull();
    await expect.poll(() => execution.progress(), { timeout: 30_000 }).toBe(0.25);
    await execution.release();
    expect(server.received[1]?.query).toMatchObject({ param_id: "run_1-1", readonly: "1" });
  });
});

describe("errors", () => {
  it.each<[string, string, object]>([
    [
      "of a profile with readonly",
      "Code: 164. DB::Exception: Cannot modify 'max_threads' setting in readonly mode. (READONLY)",
      { name: "DataSourceRefused", message: expect.stringContaining("a profile with readonly=0") },
    ],
    [
      "of memory",
      "Code: 241. DB::Exception: Memory limit (total) exceeded. (MEMORY_LIMIT_EXCEEDED)",
      { name: "MemoryLimitExceeded", data: { category: "RESOURCE", retryable: true } },
    ],
    [
      "of a password",
      "Code: 516. DB::Exception: reader: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)",
      { name: "DataSourceUnauthorized", data: { category: "DATA_SOURCE" } },
    ],
    ["of the limit on rows", "Code: 396. DB::Exception: Limit. (TOO_MANY_ROWS_OR_BYTES)", { name: "ResultTooLarge" }],
  ])("%s fail the statement", async (_, body, failure) => {
    await using server = await startReply({ status: 500, body });
    await expect(partsOf(server)).rejects.toMatchObject({ failure });
  });

  it("with the status 200 fail the statement, before its rows and after them", async () => {
    const code = { "x-clickhouse-exception-code": "60" };
    const text = unknownTable;
    for (const reply of [
      { headers: { ...rowsHeaders, ...code }, body: text },
      { headers: rowsHeaders, body: `${text}\n` },
      { headers: rowsHeaders, body: `${head}[1]\n[2]\n${text}\n` },
    ]) {
      await using server = await startReply(reply);
      await expect(partsOf(server)).rejects.toMatchObject({ failure: { name: "UnknownTable" } });
    }
  });

  it.each<[string, Reply]>([
    ["a server that ends", { status: 500, body: "Code: 236. DB::Exception: Server is shutting down. (ABORTED)" }],
    [
      "a query of the same id",
      { status: 500, body: "Code: 216. DB::Exception: x (QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING)" },
    ],
    ["a proxy", { status: 502, body: "<html>" }],
    ["rows that end in the middle", { headers: rowsHeaders, body: `${head}[1]\n[2` }],
    ["no columns", { headers: rowsHeaders, body: "" }],
    ["a lost connection", { headers: rowsHeaders, body: `${head}[1]\n`, cutOff: true }],
  ])("of %s lose the query", async (_, reply) => {
    await using server = await startReply(reply);
    await expect(partsOf(server)).rejects.toMatchObject({ name: "EngineLostError" });
  });

  it("to connect lose the query before it begins, with a message that has no user and no parameters", async () => {
    const statement = statementOn(sourceAt("clickhouse://reader@127.0.0.1:1"), "SELECT {p:String}", {
      parameters: { p: "geheim" },
    });
    const beginning = kind.begin(statement, never);
    await expect(beginning).rejects.toBeInstanceOf(EngineLostError);
    await expect(beginning).rejects.toThrow(
      /^Cannot reach ClickHouse at http:\/\/127.0.0.1:1: ECONNREFUSED; check the address and the network.$/,
    );
  });

  it("of a proxy that does not know the ping do not matter", async () => {
    const rows = { headers: rowsHeaders, body: `${head}[1]\n` };
    await using server = await startStandIn(() => rows, { pingStatus: 404 });
    expect(await partsOf(server)).toEqual(["[[1]]"]);
  });

  it("of a proxy without a server lose the query before it begins", async () => {
    await using server = await startStandIn(undefined, { pingStatus: 502 });
    await expect(begin(server)).rejects.toThrow(
      new EngineLostError("ClickHouse answered a ping with the HTTP status 502."),
    );
    expect(server.received).toEqual([]);
  });

  it("are the reason of the caller if a server that does not answer is given up", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const caller = new AbortController();
    const beginning = kind.begin(
      statementOn(sourceAt(`clickhouse://reader@127.0.0.1:${port}`), "SELECT 1"),
      caller.signal,
    );
    await once(silent, "connection");
    caller.abort("enough");
    await expect(beginning).rejects.toBe("enough");
    silent.close();
  });

  it.each<[string, Reply]>([
    ["another format", { headers: { "x-clickhouse-format": "CSV" }, body: "1\n" }],
    ["another server", { body: "hello" }],
    ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" } }],
  ])("of %s are those of the data source", async (_, reply) => {
    await using server = await startReply(reply);
    await expect(partsOf(server)).rejects.toMatchObject({ failure: { data: { category: "DATA_SOURCE" } } });
  });
});
