import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createClient, query, resumeQuery, rowsOf, sql, startQuery } from "../../src/index.ts";
import { drop, each, error, patience, startServer } from "../support/scripted-server.ts";
import { methodsOf, paramsOf, service, startService } from "../support/scripted-service.ts";

describe("query", () => {
  it("creates a run, waits until it has ended and reads its rows", async () => {
    await using server = await startService();
    const states: string[] = [];
    const result = await query(server.client, { sql: "a" }, { onState: (state, id) => states.push(`${id} ${state}`) });
    expect(await Array.fromAsync(rowsOf(result))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(result).toMatchObject({ queryRunId: "a", columnNames: ["n"], columnTypes: ["number"], rowCount: 3 });
    expect(states).toEqual(["a QUERY_STATE_READY", "a SOMETHING_NEW", "a QUERY_STATE_SUCCESS"]);
    expect(methodsOf(server.exchanges)).toEqual(["createQueryRun", "getQueryRun", "getQueryRun", "getQueryRunResults"]);
  });

  it("makes unique idempotency keys on a platform without crypto, such as Node 18", async () => {
    await using server = await startService();
    vi.stubGlobal("crypto", undefined);
    try {
      await Promise.all([query(server.client, { sql: "a" }), query(server.client, { sql: "b" })]);
    } finally {
      vi.unstubAllGlobals();
    }
    const keys = paramsOf(server.exchanges, "createQueryRun").map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^[\d.-]{30,128}$/);
  });

  it("sends the members of the interface, and the source only if it is set", async () => {
    await using server = await startService();
    await query(server.client, { sql: "a" });
    await query(server.client, {
      ...sql`b ${7}`,
      maxAgeMinutes: 5,
      tags: { env: "test" },
      dataSource: "s",
      dataProvider: "p",
    });
    const [first, second] = paramsOf(server.exchanges, "createQueryRun");
    expect(first).toEqual({
      sql: "a",
      resultTTLHours: 1,
      maxAgeMinutes: 0,
      tags: {},
      idempotencyKey: expect.any(String),
      waitSeconds: 1,
      results: { page: { size: 10_000 } },
    });
    expect(second).toMatchObject({
      sql: "b $1",
      parameters: [7],
      maxAgeMinutes: 5,
      tags: { env: "test" },
      dataSource: "s",
      dataProvider: "p",
    });
  });

  it("does not poll a run that has ended at its create", async () => {
    await using server = await startService({ polls: 0 });
    await query(server.client, { sql: "a" });
    expect(methodsOf(server.exchanges)).toEqual(["createQueryRun", "getQueryRunResults"]);
  });

  it("throws the reason of a failed run, and another kind for a canceled run", async () => {
    const failure = {
      state: "QUERY_STATE_FAILED",
      errorName: "BinderError",
      errorMessage: "no column x",
      errorData: { line: 1 },
    };
    await using failing = await startService({ end: failure });
    await expect(query(failing.client, { sql: "a" })).rejects.toMatchObject({
      kind: "failed",
      message: "no column x",
      errorName: "BinderError",
      data: { line: 1 },
      queryRunId: "a",
    });
    await using canceled = await startService({ end: { state: "QUERY_STATE_CANCELED" } });
    await expect(query(canceled.client, { sql: "a" })).rejects.toMatchObject({ kind: "canceled", queryRunId: "a" });
  });

  it("retries at the limit of unfinished runs", async () => {
    await using server = await startService({ busy: 2 });
    await query(server.client, { sql: "a" });
    expect(paramsOf(server.exchanges, "createQueryRun")).toHaveLength(3);
  });

  it("rejects each query of a shared signal with an error of its own", async () => {
    await using server = await startService({ polls: 1000 });
    await using failing = await startService({ end: { state: "QUERY_STATE_FAILED", errorMessage: "boom" } });
    const failure: unknown = await query(failing.client, { sql: "z" }).catch((error) => error);
    const controller = new AbortController();
    const started = (sql: string) =>
      new Promise<{ readonly ended: Promise<unknown> }>((resolve) => {
        const { signal } = controller;
        const ended = query(server.client, { sql }, { signal, onState: () => resolve({ ended }) }).catch(
          (error) => error,
        );
      });
    const [a, b] = await Promise.all(["a", "b"].map(started));
    controller.abort(failure);
    expect(await a?.ended).toMatchObject({ kind: "aborted", queryRunId: "a", cause: failure });
    expect(await b?.ended).toMatchObject({ kind: "aborted", queryRunId: "b", cause: failure });
    expect(failure).toMatchObject({ kind: "failed", queryRunId: "z" });
  });

  it("has a time limit of twenty minutes by default", async () => {
    await using server = await startService({ polls: 0 });
    const timers = vi.spyOn(globalThis, "setTimeout");
    await query(server.client, { sql: "a" }, { timeoutMs: undefined });
    await resumeQuery(server.client, "a", { timeoutMs: undefined });
    expect(timers.mock.calls.filter(([, ms]) => ms === 1_200_000)).toHaveLength(2);
    timers.mockRestore();
  });

  it.each([
    [502, "<html>"],
    [429, '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"slow down"}}'],
  ])("survives a temporary fault of the gateway: HTTP %i", async (status, body) => {
    const answers = service({ polls: 3 });
    let broken = 2;
    await using server = await startServer((exchange) => {
      if (exchange.calls[0]?.method !== "getQueryRun") return answers(exchange);
      broken -= 1;
      return broken >= 0 ? { status, body } : answers(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k", retries: 0, sleep: async () => {} });
    await expect(query(client, { sql: "a" })).resolves.toMatchObject({ rowCount: 3 });
  });

  it("does not repeat a create after an ambiguous fault if the service echoes no key", async () => {
    const answers = service({ polls: 0 });
    let creates = 0;
    await using server = await startServer((exchange) => {
      const isCreate = exchange.calls.some(({ method }) => method === "createQueryRun");
      if (isCreate) creates += 1;
      return isCreate && creates === 2 ? { body: drop } : answers(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    await query(client, { sql: "a" });
    await expect(query(client, { sql: "b" })).rejects.toMatchObject({ kind: "network", method: "createQueryRun" });
    expect(creates).toBe(2);
    const keys = paramsOf(server.exchanges, "createQueryRun").map((params) => "idempotencyKey" in params);
    expect(keys).toEqual([true, false]);
  });

  it("stops retrying at the limit of runs when it is aborted", async () => {
    await using server = await startService({ busy: 1000 });
    const signal = AbortSignal.timeout(50);
    await expect(query(server.client, { sql: "a" }, { signal })).rejects.toMatchObject({ kind: "timeout" });
    // A request that was sent before may still arrive.
    await pause(500);
    const sent = server.exchanges.length;
    await pause(500);
    expect(server.exchanges).toHaveLength(sent);
  });

  it("repeats a create after an ambiguous fault once the service has echoed a key", async () => {
    const answers = service({ polls: 0, echoesKeys: true });
    let broken = false;
    await using server = await startServer((exchange) => {
      const fault = broken;
      broken = false;
      return fault ? { status: 502, body: "" } : answers(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    broken = true;
    await expect(query(client, { sql: "a" })).rejects.toMatchObject({ kind: "http", status: 502 });
    await query(client, { sql: "b" });
    broken = true;
    await query(client, { sql: "c" });
    const keys = paramsOf(server.exchanges, "createQueryRun").map(({ sql, idempotencyKey }) => [sql, idempotencyKey]);
    expect(keys).toHaveLength(4);
    expect(keys[2]).toEqual(keys[3]);
  });
});

describe("many queries at once", () => {
  it("share requests from the creates to the first pages", async () => {
    await using server = await startService({ totalSize: "1000" });
    await Promise.all(Array.from({ length: 50 }, (_, index) => query(server.client, { sql: String(index) })));
    expect(server.exchanges.map(({ calls }) => calls.length)).toEqual([50, 50, 50, 50]);
  });

  it.each([
    ["large pages", { totalSize: "900000" }],
    ["pages of an unknown size", {}],
  ])("keep %s apart", async (_, options) => {
    await using server = await startService(options);
    await Promise.all(["a", "b"].map((id) => query(server.client, { sql: id })));
    expect(methodsOf(server.exchanges).slice(-2)).toEqual(["getQueryRunResults", "getQueryRunResults"]);
  });
});

describe("startQuery", () => {
  it("returns the id first, and the result on request", async () => {
    await using server = await startService();
    await using started = await startQuery(server.client, { sql: "a" });
    expect(started).toMatchObject({ queryRunId: "a", queryRequestId: "request of a" });
    await expect(started.result()).resolves.toMatchObject({ rowCount: 3 });
  });

  it("takes the id of the run from a service that knows no requests", async () => {
    const answers = service({ polls: 1 });
    await using server = await startServer((exchange) =>
      exchange.calls[0]?.method === "createQueryRun"
        ? each(() => ({ result: { queryRun: { id: "a", state: "QUERY_STATE_READY" } } }))(exchange)
        : answers(exchange),
    );
    const started = await startQuery(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
    expect(started).toMatchObject({ queryRunId: "a", queryRequestId: undefined });
    await expect(started.result()).resolves.toMatchObject({ rowCount: 3 });
  });

  it("waits for a run whose create returned only its id", async () => {
    const answers = service({ polls: 1 });
    await using server = await startServer((exchange) =>
      exchange.calls[0]?.method === "createQueryRun"
        ? each(() => ({ result: { queryRequest: { queryRunId: "a" }, queryRun: null } }))(exchange)
        : answers(exchange),
    );
    const started = await startQuery(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
    await expect(started.result()).resolves.toMatchObject({ rowCount: 3 });
  });

  it("withdraws at the end of its block, unless the run has ended", async () => {
    await using server = await startService();
    {
      await using _left = await startQuery(server.client, { sql: "a" });
    }
    {
      await using finished = await startQuery(server.client, { sql: "b" });
      await finished.result();
    }
    expect(paramsOf(server.exchanges, "cancelQueryRun")).toEqual([{ queryRunId: "a", queryRequestId: "request of a" }]);
  });

  it("withdraws also after its wait has failed", async () => {
    const answers = service();
    await using server = await startServer((exchange) =>
      exchange.calls[0]?.method === "getQueryRun"
        ? each(() => error(-32163, "not for you"))(exchange)
        : answers(exchange),
    );
    {
      await using started = await startQuery(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
      await expect(started.result()).rejects.toMatchObject({ code: -32163 });
    }
    expect(methodsOf(server.exchanges)).toEqual(["createQueryRun", "getQueryRun", "cancelQueryRun"]);
  });
});

describe("a signal that is aborted already", () => {
  it("withdraws a started query, and starts no new one", async () => {
    await using server = await startService();
    const signal = AbortSignal.abort();
    const started = await startQuery(server.client, { sql: "a" });
    await expect(started.result({ signal })).rejects.toMatchObject({ kind: "aborted" });
    await expect(query(server.client, { sql: "b" }, { signal })).rejects.toMatchObject({ kind: "aborted" });
    await expect.poll(() => methodsOf(server.exchanges), patience).toEqual(["createQueryRun", "cancelQueryRun"]);
  });
});

describe("resumeQuery", () => {
  it("resumes a run by its id, and does not stop it on an abort", async () => {
    await using server = await startService();
    await expect(resumeQuery(server.client, "a")).resolves.toMatchObject({ queryRunId: "a", rowCount: 3 });
    await expect(resumeQuery(server.client, "b", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: "aborted",
    });
    expect(methodsOf(server.exchanges)).not.toContain("cancelQueryRun");
  });
});
