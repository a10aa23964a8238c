import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { type Fault, startAdversary } from "../../src/client/index.ts";

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

describe("a fault", () => {
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
