import { describe, expect, it } from "vitest";
import { createClient, createQueryRun, getQueryRun, getSqlStatement, isErrorOf } from "../../src/index.ts";
import { each, error, patience, startServer } from "../support/scripted-server.ts";

const echo = each(({ params: [{ queryRunId }] }) => ({ result: { queryRun: { id: queryRunId } } }));
const look = (client: Parameters<typeof getQueryRun>[0], queryRunId: string, options = {}) =>
  getQueryRun(client, { queryRunId }, options).then(({ queryRun }) => queryRun.id);

describe("createClient", () => {
  it.each(["", "/", "/json-rpc", "/json-rpc/", "//"])(
    "finds the endpoint from a base address that ends in %j",
    async (end) => {
      await using server = await startServer(echo);
      await look(createClient({ url: server.url + end, apiKey: "k" }), "a");
      expect(server.exchanges[0]?.path).toBe("/json-rpc");
    },
  );

  it("keeps a path before the endpoint", () => {
    expect(createClient({ url: "https://host/team/", apiKey: "k" }).url).toBe("https://host/team/json-rpc");
  });

  it("keeps the query of its address, and refuses a password in it", () => {
    expect(createClient({ url: "https://host/x?token=1", apiKey: "k" }).url).toBe("https://host/x/json-rpc?token=1");
    expect(() => createClient({ url: "https://ann:secret@host", apiKey: "k" })).toThrow(TypeError);
  });

  it("refuses a key that no header can carry, and an address without its protocol", () => {
    const missing = undefined as unknown as string; // As a program without types may have it.
    for (const apiKey of ["", missing, "read from a file\n", "k€y"]) {
      expect(() => createClient({ url: "http://host", apiKey })).toThrow(
        "Invalid apiKey: expected one line of ASCII text, got",
      );
    }
    expect(() => createClient({ url: "localhost:8080", apiKey: "k" })).toThrow(
      "Invalid url: expected http: or https:, got localhost:",
    );
  });

  it("sends a single call without a batch, with its key and by position", async () => {
    await using server = await startServer(echo);
    await look(createClient({ url: server.url, apiKey: "secret" }), "a");
    const [exchange] = server.exchanges;
    expect(exchange?.isBatch).toBe(false);
    expect(exchange?.headers).toMatchObject({ "x-api-key": "secret", "content-type": "application/json" });
    expect(exchange?.calls[0]).toEqual({ jsonrpc: "2.0", method: "getQueryRun", params: [{ queryRunId: "a" }], id: 1 });
  });
});

describe("a batch", () => {
  it("has the calls of one microtask, and matches answers by id in any order", async () => {
    await using server = await startServer((exchange) => {
      const { body } = echo(exchange);
      return { body: (body as unknown[]).toReversed() };
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    expect(await Promise.all([look(client, "a"), look(client, "b"), look(client, "c")])).toEqual(["a", "b", "c"]);
    expect(server.exchanges).toHaveLength(1);
  });

  it("rejects only the calls that failed or have no answer", async () => {
    await using server = await startServer((exchange) => {
      const answer = each(({ params: [{ queryRunId }] }) =>
        queryRunId === "b"
          ? error(-32099, "no such run", { queryRunId })
          : { result: { queryRun: { id: queryRunId } } },
      )(exchange);
      return { body: (answer.body as { id: number }[]).filter(({ id }) => id !== 3) };
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    const [a, b, c] = await Promise.allSettled([look(client, "a"), look(client, "b"), look(client, "c")]);
    expect(a).toMatchObject({ value: "a" });
    expect(b).toMatchObject({
      reason: { kind: "rpc", code: -32099, errorName: "QueryRunNotFound", data: { queryRunId: "b" } },
    });
    expect(c).toMatchObject({ reason: { kind: "protocol", method: "getQueryRun" } });
  });

  it("drops an aborted call, and aborts the request when all its calls are aborted", async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await using server = await startServer(async (exchange) => {
      await held;
      return echo(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    const [one, two] = [new AbortController(), new AbortController()];
    const calls = [look(client, "a", { signal: one.signal }), look(client, "b", { signal: two.signal })] as const;
    await expect.poll(() => server.exchanges.length, patience).toBe(1);
    one.abort();
    await expect(calls[0]).rejects.toMatchObject({ kind: "aborted", method: "getQueryRun" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.exchanges[0]?.abandoned).toBe(false);
    two.abort();
    await expect(calls[1]).rejects.toMatchObject({ kind: "aborted" });
    await expect.poll(() => server.exchanges[0]?.abandoned, patience).toBe(true);
    answer();
  });

  it("does not send calls that were aborted before", async () => {
    await using server = await startServer(echo);
    const client = createClient({ url: server.url, apiKey: "k" });
    const controller = new AbortController();
    const dropped = look(client, "a", { signal: controller.signal });
    const kept = look(client, "b");
    controller.abort();
    await expect(dropped).rejects.toMatchObject({ kind: "aborted" });
    await kept;
    expect(server.exchanges.flatMap(({ calls }) => calls.map(({ params }) => params[0].queryRunId))).toEqual(["b"]);
  });

  it("is not used again with a server that answers it with one object", async () => {
    await using server = await startServer((exchange) =>
      exchange.isBatch ? { body: { jsonrpc: "2.0", id: null, ...error(-32600, "no batches here") } } : echo(exchange),
    );
    const client = createClient({ url: server.url, apiKey: "k" });
    expect(await Promise.all([look(client, "a"), look(client, "b")])).toEqual(["a", "b"]);
    expect(await Promise.all([look(client, "c"), look(client, "d")])).toEqual(["c", "d"]);
    expect(server.exchanges.map(({ isBatch }) => isBatch)).toEqual([true, false, false, false, false]);
  });

  it.each([
    ["an error of its own", { status: 500, body: { error: "cannot read this" } }],
    ["a page for people", { status: 200, body: "<html>" }],
  ])("is not used again with a server that answers it with %s, and no create is sent twice", async (_name, answer) => {
    await using server = await startServer((exchange) => (exchange.isBatch ? answer : echo(exchange)));
    const client = createClient({ url: server.url, apiKey: "k" });
    const create = createQueryRun(client, { sql: "a" });
    const polls = Promise.all([look(client, "a"), look(client, "b")]);
    await expect(create).rejects.toMatchObject({ kind: answer.status === 500 ? "http" : "protocol" });
    expect(await polls).toEqual(["a", "b"]);
    expect(await Promise.all([look(client, "c"), look(client, "d")])).toEqual(["c", "d"]);
    expect(server.exchanges.map(({ calls }) => calls.length)).toEqual([3, 1, 1, 1, 1]);
  });

  it("of creates is not sent again after a single answer", async () => {
    const first = { queryRequest: { queryRunId: "a" } };
    await using server = await startServer(({ calls: [call] }) => ({
      body: { jsonrpc: "2.0", id: call?.id, result: first },
    }));
    const client = createClient({ url: server.url, apiKey: "k" });
    const [one, other] = await Promise.allSettled(["a", "b"].map((sql) => createQueryRun(client, { sql })));
    expect(one).toMatchObject({ value: first });
    expect(other).toMatchObject({ reason: { kind: "protocol", method: "createQueryRun" } });
    expect(server.exchanges).toHaveLength(1);
  });

  it("is used again with a server that fails single calls too", async () => {
    let broken = true;
    await using server = await startServer((exchange) => (broken ? { status: 500, body: "" } : echo(exchange)));
    const client = createClient({ url: server.url, apiKey: "k" });
    const polls = await Promise.allSettled([look(client, "a"), look(client, "b")]);
    expect(polls).toMatchObject([{ reason: { status: 500 } }, { reason: { status: 500 } }]);
    broken = false;
    await Promise.all([look(client, "a"), look(client, "b")]);
    expect(server.exchanges.map(({ calls }) => calls.length)).toEqual([2, 1, 1, 2]);
  });

  it("holds at most fifty calls", async () => {
    await using server = await startServer(echo);
    const client = createClient({ url: server.url, apiKey: "k" });
    await Promise.all(Array.from({ length: 120 }, (_, index) => look(client, String(index))));
    expect(server.exchanges.map(({ calls }) => calls.length).toSorted()).toEqual([20, 50, 50]);
  });

  it("of long polls delays no other call", async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    await using server = await startServer(async (exchange) => {
      if (exchange.calls.some(({ params }) => params[0].waitSeconds)) await ended;
      return echo(exchange);
    });
    const client = createClient({ url: server.url, apiKey: "k" });
    const waiting = ["a", "b"].map((queryRunId) => getQueryRun(client, { queryRunId, waitSeconds: 20 }));
    expect(await Promise.all([look(client, "c"), look(client, "d")])).toEqual(["c", "d"]);
    end();
    await Promise.all(waiting);
    expect(server.exchanges.map(({ calls }) => calls.length)).toEqual([2, 2]);
  });

  it("fails as a whole if the key is refused, with the code of the refusal", async () => {
    await using server = await startServer(() => ({
      status: 401,
      body: { jsonrpc: "2.0", id: null, ...error(-32163, "wrong key") },
    }));
    const client = createClient({ url: server.url, apiKey: "k" });
    const outcomes = await Promise.allSettled([look(client, "a"), look(client, "b")]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        reason: { kind: "rpc", code: -32163, errorName: "AuthorizationError", status: 401 },
      });
    }
  });
});

describe("a method function", () => {
  it("narrows declared errors by type", async () => {
    await using server = await startServer(
      each(({ method }) => error(method === "getQueryRun" ? -32099 : -32150, "no")),
    );
    const client = createClient({ url: server.url, apiKey: "k" });
    const declared: unknown = await look(client, "a").catch((reason) => reason);
    const other: unknown = await getSqlStatement(client, { sqlStatementId: "s" }).catch((reason) => reason);
    expect(isErrorOf(getQueryRun, declared)).toBe(true);
    expect(isErrorOf(getSqlStatement, declared)).toBe(false);
    expect(isErrorOf(getSqlStatement, other)).toBe(false);
    expect(other).toMatchObject({ kind: "undeclared", code: -32150 });
  });

  it("rejects a call after its time limit", async () => {
    await using server = await startServer(() => new Promise(() => {}));
    const client = createClient({ url: server.url, apiKey: "k", timeoutMs: 500 });
    await expect(look(client, "a")).rejects.toMatchObject({
      kind: "timeout",
      message: "getQueryRun: not done within 500 ms",
    });
    await expect.poll(() => server.exchanges[0]?.abandoned, patience).toBe(true);
  });

  it("treats an undefined option as missing", async () => {
    await using server = await startServer(() => new Promise(() => {}));
    const client = createClient({ url: server.url, apiKey: "k", timeoutMs: 500 });
    const unset = { timeoutMs: undefined, unbatched: undefined, once: undefined };
    await expect(look(client, "a", unset)).rejects.toMatchObject({ kind: "timeout" });
    const create = createQueryRun(client, { sql: "a", waitSeconds: 20 }, unset);
    await Promise.allSettled([create, look(client, "b")]);
    expect(server.exchanges.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
  });

  it("keeps integers that a double cannot hold, however long they are", async () => {
    const long = "7".repeat(400);
    await using server = await startServer(({ calls }) => ({
      body: `{"jsonrpc":"2.0","id":${calls[0]?.id},"result":{"queryRun":{"id":9007199254740993,"n":[1, 12345678901234567890 ,${long},0.30000000000000004]}}}`,
    }));
    const client = createClient({ url: server.url, apiKey: "k" });
    expect(await getQueryRun(client, { queryRunId: "a" })).toEqual({
      queryRun: { id: "9007199254740993", n: [1, "12345678901234567890", long, 0.30000000000000004] },
    });
  });
});

describe("unusual answers", () => {
  it.each([
    ["an error that is a text", { error: "broken" }],
    ["an error without a message", { error: { code: -1 } }],
    ["a code that is a text", { error: { code: "-32099", message: "no" } }],
    ["a result and an error", { result: 1, error: { code: 1, message: "no" } }],
    ["neither", {}],
    ["another id", { id: 999, result: 1 }],
    ["an object as id", { id: {}, result: 1 }],
  ])("are a protocol error: %s", async (_name, reply) => {
    await using server = await startServer(each(() => reply));
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(look(client, "a")).rejects.toMatchObject({ kind: "protocol", method: "getQueryRun" });
  });

  it.each([
    [
      "an error without a code we know",
      { error: { code: 7, message: "no", data: [] } },
      { kind: "undeclared", code: 7, data: [] },
    ],
    [
      "an error beside a null result",
      { result: null, error: { code: -32099, message: "no" } },
      { kind: "rpc", code: -32099 },
    ],
  ])("are reported unchanged: %s", async (_name, reply, error) => {
    await using server = await startServer(each(() => reply));
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(look(client, "a")).rejects.toMatchObject(error);
  });

  it("with the id as a string or without an id are accepted", async () => {
    for (const id of ["1", undefined, null]) {
      await using server = await startServer(each(() => ({ id, result: { queryRun: { id: "a" } } })));
      await expect(look(createClient({ url: server.url, apiKey: "k" }), "a")).resolves.toBe("a");
    }
  });
});
