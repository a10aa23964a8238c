import { EngineLostError } from "@quern/adapter";
import { describe, expect, it, vi } from "vitest";
import { connect } from "../../src/protocol/connection.ts";
import { never, sourceAt, withoutSecrets } from "../fixture.ts";
import { type Reply, rowsHeaders, startStandIn } from "../server.ts";

const request = { sql: "SELECT 1", settings: {} };

/** Runs a query on a server that answers with this. Returns the error, or the request that the server has received. */
async function attempt(reply: Reply, change: object = {}, path = "/shop") {
  await using server = await startStandIn(() => reply);
  const source = sourceAt(`clickhouse://reader@${server.host}${path}`);
  const connection = await connect(source, "ada", withoutSecrets.secret);
  try {
    await connection.run({ ...request, ...change }, never);
    return server.received[0];
  } catch (error) {
    return error;
  } finally {
    await connection.close();
  }
}

const rows: Reply = { headers: rowsHeaders, body: '["n"]\n["Int8"]\n' };

it("sends what a query has, and nothing that it lacks", async () => {
  const change = { parameters: { p: "a" }, queryId: "run_1-1", traceparent: "00-a-b-01", settings: { readonly: "1" } };
  const full = await attempt(rows, change);
  expect(full).toMatchObject({
    sql: "SELECT 1",
    query: { database: "shop", query_id: "run_1-1", readonly: "1", param_p: "a" },
    headers: { traceparent: "00-a-b-01", authorization: `Basic ${btoa("reader:")}` },
  });
  const least = Object(await attempt(rows, {}, ""));
  expect(Object.keys(least.query).filter((name) => name !== "query_id")).toEqual([]);
  expect(least.headers.traceparent).toBeUndefined();
});

it("writes no warning of its client about a long time limit", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  await attempt(rows, { settings: { max_execution_time: "3600" } });
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

describe("a response", () => {
  it.each([
    [404, "not\nfound", "ClickHouse answered with the HTTP status 404: not."],
    [404, "<html>", "ClickHouse answered with the HTTP status 404."],
    [404, " \n", "ClickHouse answered with the HTTP status 404."],
    [499, "x".repeat(301), `ClickHouse answered with the HTTP status 499: ${"x".repeat(300)}.`],
    [204, "", "ClickHouse answered with the HTTP status 204."],
  ])("with the status %i refuses the query", async (status, body, message) => {
    expect(await attempt({ status, body })).toMatchObject({
      failure: { name: "DataSourceRefused", message, data: { category: "DATA_SOURCE", engine: "clickhouse" } },
    });
  });

  it.each([500, 503])("with the status %i loses the query", async (status) => {
    const lost = new EngineLostError(`ClickHouse answered with the HTTP status ${status}: no.`);
    expect(await attempt({ status, body: "no" })).toEqual(lost);
  });

  it("in another format is none of ClickHouse", async () => {
    expect(await attempt({ headers: { "x-clickhouse-format": "CSV" }, body: "1\n" })).toMatchObject({
      failure: {
        name: "InvalidResponse",
        message: "The data source did not answer as ClickHouse; check the host, the port and secure of its address.",
      },
    });
  });

  it("with an error is read up to 64 KiB", async () => {
    const error = "Code: 60. DB::Exception: no table (UNKNOWN_TABLE)";
    expect(await attempt({ status: 404, body: error.padEnd(10_000_000) })).toMatchObject({
      failure: { name: "UnknownTable" },
    });
  });
});

it("sends nothing after an abort, and fails with its reason", async () => {
  await using server = await startStandIn(() => rows);
  const connection = await connect(sourceAt(`clickhouse://reader@${server.host}`), "ada", withoutSecrets.secret);
  expect(connection.database).toBeUndefined();
  for (const operation of [connection.run, connection.command])
    await expect(operation(request, AbortSignal.abort("left"))).rejects.toBe("left");
  await expect(connection.reach(AbortSignal.abort("left"))).rejects.toBe("left");
  expect(server.received).toEqual([]);
  await connection.close();
});

it.each([
  [499, undefined],
  [500, "ClickHouse answered a ping with the HTTP status 500."],
])("is reached by a server that answers a ping with the status %i, unless it fails", async (pingStatus, message) => {
  await using server = await startStandIn(undefined, { pingStatus });
  const connection = await connect(sourceAt(`clickhouse://reader@${server.host}`), "ada", withoutSecrets.secret);
  const reached = connection.reach(never);
  if (message === undefined) await reached;
  else await expect(reached).rejects.toThrow(new EngineLostError(message));
  await connection.close();
});

it("runs a command, and reports its failure", async () => {
  const { run, command } = {
    run: { body: "" },
    command: { status: 404, body: "Code: 1. DB::Exception: no (UNKNOWN_TABLE)" },
  };
  for (const reply of [run, command]) {
    await using server = await startStandIn(() => reply);
    const connection = await connect(sourceAt(`clickhouse://reader@${server.host}`), "ada", withoutSecrets.secret);
    const done = connection.command(request, never);
    if (reply === run) await done;
    else await expect(done).rejects.toMatchObject({ failure: { name: "UnknownTable" } });
    await connection.close();
  }
});

it("ends an answer at once when it is given up between two rows", async () => {
  await using server = await startStandIn(() => ({ ...rows, body: `${rows.body}[1]\n`, isOpen: true }));
  const connection = await connect(sourceAt(`clickhouse://reader@${server.host}`), "ada", withoutSecrets.secret);
  const caller = new AbortController();
  const { arrays } = await connection.run(request, caller.signal);
  const read = (async () => {
    for await (const _ of arrays);
  })();
  setTimeout(() => caller.abort(new Error("enough")), 50);
  await expect(read).rejects.toThrow("enough");
  await connection.close();
});
