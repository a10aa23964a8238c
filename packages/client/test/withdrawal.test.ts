import { describe, expect, it } from "vitest";
import { createClient, type Fetch, query, startQuery } from "../src/index.ts";
import { patience, startServer } from "./support/scripted-server.ts";
import { methodsOf, paramsOf, service, startService } from "./support/scripted-service.ts";

describe("a query that is left", () => {
  it("withdraws its request when it is aborted, and at its deadline", async () => {
    await using server = await startService({ looks: 1000 });
    const controller = new AbortController();
    const aborted = query(
      server.client,
      { sql: "a" },
      { signal: controller.signal, onState: () => controller.abort() },
    );
    await expect(aborted).rejects.toMatchObject({ kind: "aborted", queryRunId: "a" });
    await expect(query(server.client, { sql: "b" }, { timeoutMs: 150 })).rejects.toMatchObject({
      kind: "timeout",
      queryRunId: "b",
    });
    const withdrawn = () => paramsOf(server.exchanges, "cancelQueryRun");
    await expect.poll(withdrawn, patience).toEqual([
      { queryRunId: "a", queryRequestId: "request of a" },
      { queryRunId: "b", queryRequestId: "request of b" },
    ]);
  });

  it("withdraws a create that was aborted under way, once it is known", async () => {
    const answers = service({ looks: 1000 });
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
    release();
    await expect.poll(() => methodsOf(server.exchanges), patience).toEqual(["createQueryRun", "cancelQueryRun"]);
  });

  it("withdraws nothing once its run has ended", async () => {
    await using server = await startService({ looks: 1 });
    const controller = new AbortController();
    const onState = (state: string) => state === "QUERY_STATE_SUCCESS" && controller.abort();
    await expect(query(server.client, { sql: "a" }, { signal: controller.signal, onState })).rejects.toMatchObject({
      kind: "aborted",
      queryRunId: "a",
    });
    await query(server.client, { sql: "b" });
    expect(methodsOf(server.exchanges)).not.toContain("cancelQueryRun");
  });

  it("cancels the run itself where the service knows no requests", async () => {
    await using server = await startService({ looks: 1000, knows: ["waitSeconds", "idempotencyKey"] });
    await expect(query(server.client, { sql: "a" }, { timeoutMs: 100 })).rejects.toMatchObject({ kind: "timeout" });
    await expect.poll(() => paramsOf(server.exchanges, "cancelQueryRun").at(1), patience).toEqual({ queryRunId: "a" });
  });

  it("leaves the run of others alone that it has only joined", async () => {
    const answers = service({ looks: 1000, knows: ["idempotencyKey", "waitSeconds"] });
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

  it("withdraws by a request that outlives its page, and sends nothing else so", async () => {
    const answers = service({ looks: 1000 });
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
