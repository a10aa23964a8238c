import { describe, expect, it } from "vitest";
import { cancelQueryRun, createClient, createQueryRun, getQueryRun } from "../../src/index.ts";
import { type Answer, drop, type Exchange, each, startServer } from "../support/scripted-server.ts";

const good = each(() => ({ result: { queryRun: { id: "r" } } }));

/** Answers the first exchanges as listed, and the later ones with success. */
function faults(...answers: readonly Answer[]) {
  const left = [...answers];
  return (exchange: Exchange) => left.shift() ?? good(exchange);
}

describe("a call that is safe to repeat", () => {
  it.each([
    ["HTTP 502 with HTML", { status: 502, body: "<html>bad gateway</html>" }],
    ["HTTP 429", { status: 429, body: "slow down", headers: { "retry-after": "0" } }],
    ["a connection that closes", { body: drop }],
  ])("is sent again after %s", async (_name, fault) => {
    await using server = await startServer(faults(fault));
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(getQueryRun(client, { queryRunId: "r" })).resolves.toEqual({ queryRun: { id: "r" } });
    expect(server.exchanges).toHaveLength(2);
  });

  it.each([
    ["in seconds", () => "1"],
    ["as a date", () => new Date(Date.now() + 2000).toUTCString()],
  ])("waits for the time of Retry-After, %s", async (_name, retryAfter) => {
    const fault = { status: 503, body: "", headers: { "retry-after": retryAfter() } };
    await using server = await startServer(faults(fault));
    const started = Date.now();
    await getQueryRun(createClient({ url: server.url, apiKey: "k" }), { queryRunId: "r" });
    expect(Date.now() - started).toBeGreaterThanOrEqual(900);
  });

  it("fails immediately if the server asks for more time than the limit", async () => {
    await using server = await startServer(() => ({ status: 429, body: "", headers: { "retry-after": "3600" } }));
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(getQueryRun(client, { queryRunId: "r" })).rejects.toMatchObject({ kind: "http", status: 429 });
    expect(server.exchanges).toHaveLength(1);
  });

  it("fails after its last attempt, with the last reason", async () => {
    await using server = await startServer(() => ({ status: 502, body: "<html>" }));
    const client = createClient({ url: server.url, apiKey: "k", retries: 1 });
    await expect(getQueryRun(client, { queryRunId: "r" })).rejects.toMatchObject({ kind: "http", status: 502 });
    expect(server.exchanges).toHaveLength(2);
  });

  it("is not sent again after an invalid answer", async () => {
    for (const body of ["", "<html>welcome</html>", "[", "null", "{}", '{"jsonrpc":"2.0","id":77,"result":1}']) {
      await using server = await startServer(() => ({ body }));
      const client = createClient({ url: server.url, apiKey: "k" });
      await expect(getQueryRun(client, { queryRunId: "r" })).rejects.toMatchObject({ kind: "protocol" });
      expect(server.exchanges).toHaveLength(1);
    }
  });

  it("reports that the connection was refused", async () => {
    const client = createClient({ url: "http://127.0.0.1:9", apiKey: "k", retries: 0 });
    await expect(getQueryRun(client, { queryRunId: "r" })).rejects.toMatchObject({
      kind: "network",
      message: "getQueryRun: no answer: connect ECONNREFUSED 127.0.0.1:9",
      cause: { code: "ECONNREFUSED" },
    });
  });
});

describe("a create", () => {
  it("is not sent again if it may have arrived; the other calls of its batch are", async () => {
    await using server = await startServer(faults({ body: drop }));
    const client = createClient({ url: server.url, apiKey: "k" });
    const create = createQueryRun(client, { sql: "select 1" });
    const cancel = cancelQueryRun(client, { queryRunId: "r" });
    await expect(create).rejects.toMatchObject({ kind: "network", method: "createQueryRun" });
    await expect(cancel).resolves.toBeDefined();
    expect(server.exchanges.map(({ calls }) => calls.map(({ method }) => method))).toEqual([
      ["createQueryRun", "cancelQueryRun"],
      ["cancelQueryRun"],
    ]);
  });

  it("is sent again if the server has processed nothing", async () => {
    await using server = await startServer(faults({ status: 503, body: "draining", headers: { "retry-after": "0" } }));
    await createQueryRun(createClient({ url: server.url, apiKey: "k" }), { sql: "select 1" });
    expect(server.exchanges).toHaveLength(2);
  });

  it("is not sent again after a gateway's 503, which may have forwarded it", async () => {
    await using server = await startServer(faults({ status: 503, body: "upstream connect error or disconnect" }));
    const create = createQueryRun(createClient({ url: server.url, apiKey: "k" }), { sql: "select 1" });
    await expect(create).rejects.toMatchObject({ kind: "http", status: 503 });
    expect(server.exchanges).toHaveLength(1);
  });

  it("is not batched with `waitSeconds`", async () => {
    await using server = await startServer(good);
    const client = createClient({ url: server.url, apiKey: "k" });
    const waiting = createQueryRun(client, { sql: "select 1", waitSeconds: 5 });
    await Promise.all([waiting, getQueryRun(client, { queryRunId: "a" }), getQueryRun(client, { queryRunId: "b" })]);
    expect(server.exchanges.map(({ calls }) => calls.length).toSorted()).toEqual([1, 2]);
  });
});
