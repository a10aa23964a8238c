import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { adversaryCases, type Fault, runCase, startAdversary } from "../../src/client/index.ts";
import { plainClient } from "./plain-client.ts";

const create = { sql: "select 1", resultTTLHours: 1, maxAgeMinutes: 0, tags: {}, dataSource: "a", dataProvider: "b" };
const call = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params: [params] });
const poll = call("getQueryRun", { queryRunId: "a" });

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${url}/json-rpc`, { method: "POST", body: JSON.stringify(body) });
  return response.json();
}

/** Opens a connection and sends a poll on it. */
async function connectionTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const body = JSON.stringify(poll);
  const head = ["POST /json-rpc HTTP/1.1", "host: x", "connection: close", `content-length: ${body.length}`, "", ""];
  socket.write(head.join("\r\n") + body);
  return socket;
}

/** Returns all bytes of the response to one poll, until the connection ends. */
async function bytesOf(fault: Fault): Promise<string> {
  await using adversary = await startAdversary({ faults: [fault] });
  return await text(await connectionTo(adversary.url));
}

describe("the basic service", () => {
  it.each([
    ["createQueryRun", create, "idempotencyKey"],
    ["getQueryRun", { queryRunId: "a" }, "waitSeconds"],
    ["getQueryRunResults", { queryRunId: "a", format: "csv", page: { number: 1, size: 1 } }, "filters"],
  ])("answers %s, and refuses a member beyond the interface", async (method, params, extra) => {
    await using adversary = await startAdversary({ faults: [], basic: true });
    expect(await post(adversary.url, call(method, params))).toMatchObject({ id: 1, result: {} });
    const refusal = await post(adversary.url, call(method, { ...params, [extra]: 1 }));
    expect(refusal).toMatchObject({ error: { code: -32602 } });
  });

  it("refuses other methods and batches", async () => {
    await using adversary = await startAdversary({ faults: [], basic: true });
    const cancel = call("cancelQueryRun", { queryRunId: "a" });
    expect(await post(adversary.url, cancel)).toMatchObject({ error: { code: -32601 } });
    expect(await post(adversary.url, [poll, poll])).toMatchObject({ id: null, error: { code: -32600 } });
  });
});

describe("a fault of a param", () => {
  it("is played only for a call that has it", async () => {
    const body = '{"jsonrpc":"2.0","id":{id0},"error":{"code":-32602,"message":"no waitSeconds"}}';
    await using adversary = await startAdversary({ faults: [{ on: "getQueryRun", param: "waitSeconds", body }] });
    const wait = { queryRunId: "a", waitSeconds: 5 };
    expect(await post(adversary.url, poll)).toMatchObject({ result: {} });
    expect(await post(adversary.url, call("createQueryRun", { ...create, waitSeconds: 5 }))).toMatchObject({
      result: {},
    });
    expect(adversary.unusedFaults()).toHaveLength(1);
    expect(await post(adversary.url, call("getQueryRun", wait))).toMatchObject({ error: { code: -32602 } });
    expect(adversary.unusedFaults()).toEqual([]);
  });

  it("does not blame a client that never sends it", async () => {
    const one = adversaryCases.find(({ name }) => name === "waitSeconds refused");
    if (one === undefined) throw new Error("the case is renamed");
    expect(await runCase(one, plainClient)).toMatchObject({ outcome: "not-reached", problems: [] });
  });
});

describe("the server", () => {
  it("notes each request with its path and methods, until its response is complete", async () => {
    await using adversary = await startAdversary({ faults: [{ connection: "hang", on: "cancelQueryRun" }] });
    const before = performance.now();
    await post(adversary.url, [poll, { ...call("createQueryRun", create), id: 2 }]);
    await fetch(`${adversary.url}/elsewhere`, { method: "POST", body: JSON.stringify(poll) });
    const abort = new AbortController();
    const body = JSON.stringify(call("cancelQueryRun", { queryRunId: "a" }));
    const hanging = fetch(`${adversary.url}/json-rpc`, { method: "POST", body, signal: abort.signal }).catch(() => {});
    await expect.poll(() => adversary.exchanges[2]?.methods).toEqual(["cancelQueryRun"]);
    expect(adversary.exchanges).toMatchObject([
      { path: "/json-rpc", methods: ["getQueryRun", "createQueryRun"], isClosed: true },
      { path: "/elsewhere", methods: ["getQueryRun"], isClosed: true },
      { path: "/json-rpc", isClosed: false },
    ]);
    const times = [before, ...adversary.exchanges.map(({ at }) => at), performance.now()];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    abort.abort();
    await hanging;
    await expect.poll(() => adversary.exchanges[2]?.isClosed).toBe(true);
  });

  it("answers a batch by a batch, and other members than those of the basic service", async () => {
    await using adversary = await startAdversary({ faults: [] });
    const waiting = call("getQueryRun", { queryRunId: "a", waitSeconds: 1 });
    expect(await post(adversary.url, [waiting])).toMatchObject([{ id: 1, result: { queryRun: { id: "a" } } }]);
    expect(await post(adversary.url, { ...waiting, id: "x" })).toMatchObject({ id: "x", result: {} });
  });

  it("closes the connection of a request that is not JSON", async () => {
    await using adversary = await startAdversary({ faults: [] });
    await expect(fetch(adversary.url, { method: "POST", body: "{" })).rejects.toThrow("fetch failed");
    expect(await post(adversary.url, poll)).toMatchObject({ id: 1 });
  });

  it("ends its connections when it is closed, also twice", async () => {
    const adversary = await startAdversary({ faults: [{ connection: "hang" }] });
    expect(adversary.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const hanging = post(adversary.url, poll).catch(() => "ended");
    await expect.poll(() => adversary.unusedFaults()).toEqual([]);
    await adversary[Symbol.asyncDispose]();
    expect(await hanging).toBe("ended");
    await adversary[Symbol.asyncDispose]();
    await expect(post(adversary.url, poll)).rejects.toThrow("fetch failed");
  });
});

describe("a fault", () => {
  it("is played once by default, and is reported when it begins", async () => {
    let begun = 0;
    const faults = [{ body: '"a"' }, { on: "getQueryRun", body: '"b"' }, { batch: false, body: '"c"' }] as const;
    await using adversary = await startAdversary({ faults, onFault: () => begun++ });
    const answers: unknown[] = [];
    const counts: number[] = [];
    for (const body of [poll, call("cancelQueryRun", { queryRunId: "a" }), [poll], poll, [poll]]) {
      answers.push(await post(adversary.url, body));
      counts.push(begun);
    }
    const correct = expect.objectContaining({ id: 1 });
    expect(answers).toEqual(["a", "c", "b", correct, [correct]]);
    expect(counts).toEqual([1, 2, 3, 3, 3]);
  });

  it("of a method is played for a batch that has it", async () => {
    await using adversary = await startAdversary({ faults: [{ on: "cancelQueryRun", body: '"fault"' }] });
    const batch = [poll, { ...call("cancelQueryRun", { queryRunId: "a" }), id: 2 }];
    expect(await post(adversary.url, batch)).toBe("fault");
    expect(adversary.unusedFaults()).toEqual([]);
  });

  it("delays its answer", async () => {
    await using adversary = await startAdversary({ faults: [{ delayMs: 50 }] });
    const before = performance.now();
    expect(await post(adversary.url, poll)).toMatchObject({ id: 1, result: {} });
    expect(performance.now() - before).toBeGreaterThanOrEqual(49);
  });

  it("fills the placeholders of each call of a batch, and keeps other text", async () => {
    const body = '["{id0}", {id1}, {0}, {1}, {result1}, {all}, "{2}", "{id}", "{other}", "{}"]';
    await using adversary = await startAdversary({ faults: [{ body }] });
    const batch = [
      { ...poll, id: 7 },
      { ...call("getQueryRun", { queryRunId: "b" }), id: "x" },
    ];
    const [first, second] = [
      { id: 7, result: { queryRun: { id: "a" } } },
      { id: "x", result: { queryRun: { id: "b" } } },
    ];
    expect(await post(adversary.url, batch)).toMatchObject([
      "7",
      "x",
      first,
      second,
      second.result,
      [first, second],
      "{2}",
      "{id}",
      "{other}",
      "{}",
    ]);
  });

  it("is played in the first matching requests, as often as `times`, in order", async () => {
    const faults = [
      { on: "cancelQueryRun", body: '"cancel"' },
      { batch: true, body: '"batch"' },
      { times: 2, body: '"twice"' },
      { times: "ever", body: '"ever"' },
    ] as const;
    await using adversary = await startAdversary({ faults });
    expect(adversary.unusedFaults()).toEqual(faults);
    const seen = [poll, [poll], poll, poll, call("cancelQueryRun", { queryRunId: "a" }), poll];
    const answers: unknown[] = [];
    for (const body of seen) answers.push(await post(adversary.url, body));
    expect(answers).toEqual(["twice", "batch", "twice", "ever", "cancel", "ever"]);
    expect(adversary.unusedFaults()).toEqual([]);
  });

  it("fills the placeholders of its body", async () => {
    const body = "{0}|{id0}|{result0}|{all}|{1}";
    const reply = '{"jsonrpc":"2.0","id":1,"result":{"queryRun":{"id":"a"';
    const [zero, id, result, all, one] = (await bytesOf({ body })).split("\r\n\r\n")[1]?.split("|") ?? [];
    expect(zero).toContain(reply);
    expect({ id, all, one }).toEqual({ id: "1", all: zero, one: "{1}" });
    expect(JSON.parse(zero ?? "").result).toEqual(JSON.parse(result ?? ""));
    expect(await bytesOf({ raw: "{length}" })).toBe(String(zero?.length));
  });

  it("has dates around now in its headers", async () => {
    const headers = { "x-earlier": "{earlier}", "x-soon": "{soon}", "x-later": "{later}" };
    const before = Date.now();
    const answer = await bytesOf({ headers });
    const [earlier = 0, soon = 0, later = 0] = [...answer.matchAll(/^x-\w+: (.*)\r$/gm)].map(([, date]) =>
      Date.parse(date ?? ""),
    );
    expect(earlier).toBeLessThan(before);
    expect(soon).toBeGreaterThan(before);
    expect(later).toBeGreaterThan(soon);
  });

  it("changes the connection", async () => {
    const whole = await bytesOf({ body: "whole" });
    expect(whole).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\nwhole$/s);
    expect(await bytesOf({ body: "four", connection: "close-mid-body" })).toMatch(
      /content-length: 4\r\n.*\r\n\r\nfo$/s,
    );
    expect(await bytesOf({ body: "ö", connection: "byte-by-byte" })).toMatch(/\r\n\r\n1\r\n.\r\n1\r\n.\r\n0\r\n\r\n$/s);
    expect(await bytesOf({ connection: "close" })).toBe("");
    await expect(bytesOf({ connection: "reset" })).rejects.toThrow("ECONNRESET");
    await expect(bytesOf({ connection: "reset-mid-body" })).rejects.toThrow("ECONNRESET");
  });

  it.each([
    ["hang", /^$/],
    ["stall-mid-headers", /^HTTP\/1.1 200 OK\r\ncontent-ty$/],
    ["stall-mid-body", /content-length: 4\r\n.*\r\n\r\nfo$/s],
  ] as const)("of %s leaves the connection open without the rest", async (connection, bytes) => {
    await using adversary = await startAdversary({ faults: [{ body: "four", connection }] });
    const socket = await connectionTo(adversary.url);
    let read = "";
    socket.on("data", (chunk) => {
      read += chunk;
    });
    if (connection !== "hang") await expect.poll(() => read).toMatch(bytes);
    // Later responses have passed anything that was to be sent before.
    for (let times = 0; times < 3; times++) await post(adversary.url, poll);
    expect(read).toMatch(bytes);
    expect(socket.readyState).toBe("open");
    socket.destroy();
  });
});
