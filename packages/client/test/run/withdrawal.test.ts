import { describe, expect, it } from "vitest";
import { createClient, type Fetch, query, startQuery } from "../../src/index.ts";
import { patience, startServer, type WireCall } from "../support/scripted-server.ts";
import { methodsOf, paramsOf, service, startService } from "../support/scripted-service.ts";

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("a query that is aborted", () => {
  it("withdraws its request on an abort and at its deadline", async () => {
    await using server = await startService({ polls: 1000 });
    const controller = new AbortController();
    const aborted = query(
      server.client,
      { sql: "a" },
      { signal: controller.signal, onState: () => controller.abort() },
    );
    await expect(aborted).rejects.toMatchObject({ kind: "aborted", queryRunId: "a" });
    await expect(query(server.client, { sql: "b" }, { timeoutMs: 500 })).rejects.toMatchObject({
      kind: "timeout",
      queryRunId: "b",
    });
    const withdrawn = () => paramsOf(server.exchanges, "cancelQueryRun");
    await expect.poll(withdrawn, patience).toEqual([
      { queryRunId: "a", queryRequestId: "request of a" },
      { queryRunId: "b", queryRequestId: "request of b" },
    ]);
  });

  it("withdraws an aborted create once, also after its answer", async () => {
    const answers = service({ polls: 1000 });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await startServer(async (exchange) => {
      if (exchange.calls[0]?.method === "createQueryRun") await held;
      return answers(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    const controller = new AbortController();
    const aborted = query(client, { sql: "a" }, { signal: controller.signal });
    await expect.poll(() => server.exchanges.length, patience).toBe(1);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ kind: "aborted" });
    await expect.poll(() => methodsOf(server.exchanges), patience).toEqual(["createQueryRun", "cancelQueryRun"]);
    release();
    await expect.poll(() => server.exchanges[0]?.answered, patience).toBe(true);
    await pause();
    expect(methodsOf(server.exchanges)).toEqual(["createQueryRun", "cancelQueryRun"]);
  });

  it("withdraws an unanswered create by its key when the page is closed", async () => {
    const answers = service({ polls: 1000 });
    const outliving: unknown[] = [];
    const sent: unknown[] = [];
    const fetch: Fetch = (_url, { body, keepalive }) => {
      const calls: WireCall[] = [JSON.parse(body)].flat();
      sent.push(...calls);
      // The page is closed before the answer.
      if (calls[0]?.method === "createQueryRun") return new Promise(() => {});
      if (keepalive) outliving.push(...calls.map(({ method, params }) => ({ method, params })));
      const exchange = { path: "", headers: {}, isBatch: false, abandoned: false, answered: false, calls };
      return Promise.resolve(new Response(JSON.stringify(answers(exchange).body)));
    };
    const controller = new AbortController();
    const client = createClient({ url: "http://quern.test", apiKey: "k", fetch });
    const left = query(client, { sql: "a" }, { signal: controller.signal });
    await expect.poll(() => sent.length, patience).toBe(1);
    controller.abort();
    await expect(left).rejects.toMatchObject({ kind: "aborted" });
    const params = [{ idempotencyKey: expect.stringMatching(/^\d+(-\d+){3}$/) }];
    await expect.poll(() => outliving, patience).toEqual([{ method: "cancelQueryRun", params }]);
  });

  it("withdraws an unanswered create by its key at its deadline", async () => {
    const answers = service({ polls: 1000 });
    await using server = await startServer((exchange) => {
      const isCreate = exchange.calls[0]?.method === "createQueryRun";
      return isCreate ? new Promise(() => {}) : answers(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k", timeoutMs: 100 });
    await expect(query(client, { sql: "a" })).rejects.toMatchObject({ kind: "timeout", method: "createQueryRun" });
    const withdrawn = () => paramsOf(server.exchanges, "cancelQueryRun");
    await expect.poll(withdrawn, patience).toEqual([{ idempotencyKey: expect.any(String) }]);
  });

  it("does not withdraw a create that was not sent", async () => {
    await using server = await startService();
    const controller = new AbortController();
    const aborted = query(server.client, { sql: "a" }, { signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ kind: "aborted" });
    await pause();
    expect(server.exchanges).toEqual([]);
  });

  it("withdraws by id after the answer if the service cannot withdraw by key", async () => {
    const answers = service({ polls: 1000 });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await startServer(async (exchange) => {
      const { id, method, params } = exchange.calls[0] ?? {};
      if (method === "createQueryRun") await held;
      if (params?.[0].idempotencyKey === undefined || method !== "cancelQueryRun") return answers(exchange);
      return { body: { jsonrpc: "2.0", id, error: { code: -32602, message: "Invalid params" } } };
    });
    const controller = new AbortController();
    const client = createClient({ url: server.url, apiKey: "k" });
    const aborted = query(client, { sql: "a" }, { signal: controller.signal });
    await expect.poll(() => server.exchanges.length, patience).toBe(1);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ kind: "aborted" });
    await expect.poll(() => server.exchanges.length, patience).toBe(2);
    release();
    const withdrawn = () => paramsOf(server.exchanges, "cancelQueryRun").at(1);
    await expect.poll(withdrawn, patience).toEqual({ queryRunId: "a", queryRequestId: "request of a" });
  });

  it("does not withdraw a create that waits for a retry", async () => {
    await using server = await startService({ busy: 1000 });
    const aborted = query(server.client, { sql: "a" }, { timeoutMs: 500 });
    await expect(aborted).rejects.toMatchObject({ kind: "timeout" });
    await pause();
    expect(methodsOf(server.exchanges)).not.toContain("cancelQueryRun");
  });

  it("does not withdraw after its run has ended", async () => {
    await using server = await startService({ polls: 1 });
    const controller = new AbortController();
    const onState = (state: string) => state === "QUERY_STATE_SUCCESS" && controller.abort();
    await expect(query(server.client, { sql: "a" }, { signal: controller.signal, onState })).rejects.toMatchObject({
      kind: "aborted",
      queryRunId: "a",
    });
    await query(server.client, { sql: "b" });
    expect(methodsOf(server.exchanges)).not.toContain("cancelQueryRun");
  });

  it("cancels the run if the service has no requests", async () => {
    await using server = await startService({ polls: 1000, knows: ["waitSeconds", "idempotencyKey"] });
    await expect(query(server.client, { sql: "a" }, { timeoutMs: 500 })).rejects.toMatchObject({ kind: "timeout" });
    await expect.poll(() => paramsOf(server.exchanges, "cancelQueryRun").at(1), patience).toEqual({ queryRunId: "a" });
  });

  it("does not cancel a shared run of another caller", async () => {
    const answers = service({ polls: 1000, knows: ["idempotencyKey", "waitSeconds"] });
    await using server = await startServer((exchange) => {
      const answer = answers(exchange);
      if (exchange.calls[0]?.method !== "createQueryRun") return answer;
      const body = answer.body as { result: { queryRequest: object } }; // Our own answer.
      const queryRequest = { ...body.result.queryRequest, triggeredQueryRun: false };
      return { body: { ...body, result: { ...body.result, queryRequest } } };
    });
    const started = await startQuery(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
    await started.cancel();
    expect(paramsOf(server.exchanges, "cancelQueryRun")).toEqual([{ queryRunId: "a", queryRequestId: "request of a" }]);
  });

  it("sends only the withdrawal with keepalive", async () => {
    const answers = service({ polls: 1000 });
    const outliving: string[] = [];
    const fetch: Fetch = async (_url, { body, keepalive }) => {
      const calls = [JSON.parse(body)].flat();
      if (keepalive) outliving.push(...calls.map(({ method }) => method));
      const { body: answer } = await answers({
        path: "",
        headers: {},
        isBatch: calls.length > 1,
        abandoned: false,
        answered: false,
        calls,
      });
      return new Response(JSON.stringify(answer));
    };
    const started = await startQuery(createClient({ url: "http://quern.test", apiKey: "k", fetch }), { sql: "a" });
    await started.cancel();
    expect(outliving).toEqual(["cancelQueryRun"]);
  });
});

describe("canceling a started query", () => {
  it("sends nothing after the client has polled the end", async () => {
    await using server = await startService({ polls: 1 });
    const started = await startQuery(server.client, { sql: "a" });
    await started.result();
    await started.cancel();
    expect(methodsOf(server.exchanges)).not.toContain("cancelQueryRun");
  });

  it("succeeds if the run has ended meanwhile", async () => {
    const answers = service({ polls: 1 });
    await using server = await startServer((exchange) => {
      const { id, method } = exchange.calls[0] ?? {};
      if (method !== "cancelQueryRun") return answers(exchange);
      const data = { state: "QUERY_STATE_SUCCESS" };
      return { body: { jsonrpc: "2.0", id, error: { code: -32165, message: "The query run has ended", data } } };
    });
    const started = await startQuery(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
    await expect(started.cancel()).resolves.toBeUndefined();
    await started.cancel();
    expect(paramsOf(server.exchanges, "cancelQueryRun")).toHaveLength(1);
  });

  it("is sent again after it failed", async () => {
    const answers = service({ polls: 1000 });
    let fails = true;
    await using server = await startServer((exchange) => {
      const isRefused = fails && exchange.calls[0]?.method === "cancelQueryRun";
      return isRefused ? { status: 403, body: "" } : answers(exchange);
    });
    const started = await startQuery(createClient({ url: server.url, apiKey: "k" }), { sql: "a" });
    await expect(started.cancel()).rejects.toMatchObject({ kind: "http", status: 403 });
    fails = false;
    await started.cancel();
    expect(paramsOf(server.exchanges, "cancelQueryRun")).toHaveLength(2);
  });
});
