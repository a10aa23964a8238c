import { describe, expect, it } from "vitest";
import { createClient, getQueryRun, type Interceptor, query, spans as spansOf, type Tracer } from "../../src/index.ts";
import { startServer } from "../support/scripted-server.ts";
import { service } from "../support/scripted-service.ts";

function recorder() {
  const spans: { name: string; attributes: Record<string, unknown>; failed: boolean; ended: boolean }[] = [];
  const tracer: Tracer = {
    startSpan(name, options) {
      const span = {
        name,
        attributes: { ...options?.attributes } as Record<string, unknown>,
        failed: false,
        ended: false,
      };
      spans.push(span);
      return {
        setAttribute: (key, value) => Object.assign(span.attributes, { [key]: value }),
        recordException: () => {},
        setStatus: () => {
          span.failed = true;
        },
        end: () => {
          span.ended = true;
        },
      };
    },
  };
  return { spans, tracer };
}

describe("a tracer", () => {
  it("records a span for each exchange", async () => {
    await using server = await startServer(service({ polls: 0 }));
    const { spans, tracer } = recorder();
    await query(createClient({ url: server.url, apiKey: "secret", interceptors: [spansOf(tracer)] }), { sql: "a" });
    expect(spans).toMatchObject([
      {
        name: "quern.http",
        attributes: { "rpc.method": "createQueryRun", "http.response.status_code": 200 },
        ended: true,
      },
      { name: "quern.http", attributes: { "rpc.method": "getQueryRunResults", "rpc.batch.size": 1 }, ended: true },
    ]);
    expect(JSON.stringify(spans)).not.toContain("secret");
  });

  it("records a failure", async () => {
    const { spans, tracer } = recorder();
    const client = createClient({
      url: "http://127.0.0.1:9",
      apiKey: "k",
      retries: 0,
      interceptors: [spansOf(tracer)],
    });
    await expect(query(client, { sql: "a" })).rejects.toMatchObject({ kind: "network" });
    expect(spans).toMatchObject([{ failed: true, ended: true }]);
  });
});

describe("interceptors", () => {
  it("run around each exchange, the first one outermost, and may change it or reply", async () => {
    const answer = service();
    const headers = { "x-request-id": "r-1" };
    await using server = await startServer(async (exchange) => ({ ...(await answer(exchange)), headers }));
    const seen: string[] = [];
    const watch =
      (name: string): Interceptor =>
      async (request, next) => {
        seen.push(`${name} ${request.methods.join()}`);
        const reply = await next({ ...request, headers: { ...request.headers, [name]: "yes" } });
        seen.push(`${name} ${reply.status} ${reply.headers?.get("x-request-id")}`);
        return reply;
      };
    const interceptors = [watch("x-outer"), watch("x-inner")];
    await getQueryRun(createClient({ url: server.url, apiKey: "k", interceptors }), { queryRunId: "a" });
    expect(seen).toEqual(["x-outer getQueryRun", "x-inner getQueryRun", "x-inner 200 r-1", "x-outer 200 r-1"]);
    expect(server.exchanges[0]?.headers).toMatchObject({ "x-outer": "yes", "x-inner": "yes", "x-api-key": "k" });

    const cached: Interceptor = async () => ({
      status: 200,
      text: '{"id":1,"result":"from a cache"}',
    });
    const client = createClient({ url: server.url, apiKey: "k", interceptors: [cached] });
    await expect(getQueryRun(client, { queryRunId: "a" })).resolves.toBe("from a cache");
    expect(server.exchanges).toHaveLength(1);
  });

  it("may parse the reply", async () => {
    const parsing: Interceptor = async () => ({ status: 200, text: "1.10", data: { id: 1, result: "1.10" } });
    const client = createClient({ url: "http://127.0.0.1:1", apiKey: "k", interceptors: [parsing] });
    await expect(getQueryRun(client, { queryRunId: "a" })).resolves.toBe("1.10");
  });

  it("that return no reply cause a protocol error", async () => {
    await using server = await startServer(service());
    const forgetting = async (...[request, next]: Parameters<Interceptor>) => void (await next(request));
    const forgetful = forgetting as unknown as Interceptor; // As a program without types may have it.
    const client = createClient({ url: server.url, apiKey: "k", interceptors: [forgetful], timeoutMs: 1000 });
    await expect(getQueryRun(client, { queryRunId: "a" })).rejects.toMatchObject({ kind: "protocol" });
  });
});
