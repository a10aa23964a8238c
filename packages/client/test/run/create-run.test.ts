import { createQueryRunParamsDefaults } from "@quern/protocol/defaults";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createRun } from "../../src/run/create-run.ts";
import type { CallOptions } from "../../src/wire/call.ts";
import type { Client, ServerFeatures } from "../../src/wire/client.ts";
import { QuernError } from "../../src/wire/quern-error.ts";

interface Sent {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly options: CallOptions;
}

/** Client of a service that answers each call with what `answer` returns or throws. */
function clientWith(answer: (sent: Sent, count: number) => unknown, server: ServerFeatures = { batch: true }) {
  const sent: Sent[] = [];
  const pauses: number[] = [];
  const call = async ({ name }: { readonly name: string }, params: Sent["params"], options: CallOptions) => {
    const one = { method: name, params, options };
    sent.push(one);
    // As the client does: `onAbort` follows the signal of a sent call.
    options.signal?.addEventListener("abort", () => options.onAbort?.());
    return answer(one, sent.length);
  };
  const sleep = async (ms: number) => void pauses.push(ms);
  return { client: { server, call, sleep } as unknown as Client, server, sent, pauses };
}
const created = ({ params: { idempotencyKey } }: Sent) => ({
  queryRequest: { id: "q", queryRunId: "r", idempotencyKey },
});
const refused = (code: number) => new QuernError("rpc", "refused", { code });
const { signal } = new AbortController();
const tooMany = -32171;
const invalidParams = -32602;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it.each([
  [[{ pointer: "/params/0/sql", expected: "text" }], 1],
  [[{ pointer: "/params/0/results", expected: "no more members" }], 3],
  [[{ pointer: "", expected: "no member waitSeconds" }], 3],
  [[], 3],
  [undefined, 3],
])("sends an invalid create with the issues %j %i times", async (issues, times) => {
  const error = new QuernError("rpc", "refused", { code: invalidParams, data: { issues } });
  const { client, sent } = clientWith(() => {
    throw error;
  });
  await expect(createRun(client, { sql: "" }, signal, { waitSeconds: 1 })).rejects.toBe(error);
  expect(sent).toHaveLength(times);
});

it("sends the defaults and a new key, and repeats a create once the service has echoed a key", async () => {
  const { client, sent, server } = clientWith(created);
  await createRun(client, { sql: "a" }, signal);
  await createRun(client, { sql: "b", resultTTLHours: 2, maxAgeMinutes: 3, tags: { a: "b" } }, signal);
  const idempotencyKey = expect.stringMatching(/^\d+-\d+-\d+-\d+$/);
  const { resultTTLHours, maxAgeMinutes } = createQueryRunParamsDefaults;
  expect(sent.map(({ method, params }) => [method, params])).toEqual([
    ["createQueryRun", { sql: "a", resultTTLHours, maxAgeMinutes, tags: {}, idempotencyKey }],
    ["createQueryRun", { sql: "b", resultTTLHours: 2, maxAgeMinutes: 3, tags: { a: "b" }, idempotencyKey }],
  ]);
  expect(new Set(sent.map(({ params }) => params.idempotencyKey)).size).toBe(2);
  expect(sent.map(({ options }) => options.once)).toEqual([true, false]);
  expect(server.idempotency).toBe(true);
});

it("makes its key of four random numbers, and does not load the crypto of Node for it", async () => {
  const crypto = vi.fn();
  vi.stubGlobal("crypto", { getRandomValues: crypto });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const { client, sent } = clientWith(created);
  await createRun(client, { sql: "a" }, signal);
  expect(sent[0]?.params.idempotencyKey).toBe("2147483648-2147483648-2147483648-2147483648");
  expect(crypto).not.toHaveBeenCalled();
});

it.each<[string, object | undefined]>([
  ["another key", { queryRequest: { id: "q", idempotencyKey: "other" } }],
  ["no request", {}],
  ["nothing", undefined],
])("learns from an answer with %s that the service has no keys", async (_, answer) => {
  const { client, sent, server } = clientWith(() => answer);
  await createRun(client, { sql: "a" }, signal);
  expect(server.idempotency).toBe(false);
  await createRun(client, { sql: "a" }, signal);
  expect(sent.map(({ params }) => "idempotencyKey" in params)).toEqual([true, false]);
  expect(server.idempotency).toBe(false);
});

it("retries after 250 ms and up to 4 s, with jitter, while the caller has too many runs", async () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  const { client, pauses, sent } = clientWith((one, count) => {
    if (count > 6) random.mockReturnValue(0);
    if (count > 7) return created(one);
    throw refused(tooMany);
  });
  await createRun(client, { sql: "a" }, signal);
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 4000, 2000]);
  expect(new Set(sent.map(({ params }) => params.idempotencyKey)).size).toBe(1);
});

it("creates without a key if the service refuses the params and is not known to have keys", async () => {
  const refusal = refused(invalidParams);
  const { client, sent, server } = clientWith((one) => {
    if ("idempotencyKey" in one.params) throw refusal;
    return created(one);
  });
  await createRun(client, { sql: "a" }, signal);
  expect(sent.map(({ params }) => "idempotencyKey" in params)).toEqual([true, false]);
  expect(server.idempotency).toBe(false);
  const known = clientWith(() => Promise.reject(refusal), { batch: true, idempotency: true });
  await expect(createRun(known.client, { sql: "a" }, signal)).rejects.toBe(refusal);
  expect(known.sent).toHaveLength(1);
  const twice = clientWith(() => Promise.reject(refusal));
  await expect(createRun(twice.client, { sql: "a" }, signal)).rejects.toBe(refusal);
  expect(twice.sent).toHaveLength(2);
  const other = clientWith(() => Promise.reject(refused(-32603)));
  await expect(createRun(other.client, { sql: "a" }, signal)).rejects.toMatchObject({ code: -32603 });
  expect(other.sent).toHaveLength(1);
});

it.each<[string, boolean, boolean, readonly string[]]>([
  ["by its key", true, false, ["key"]],
  ["by its id, if the service cannot withdraw by key", false, false, ["key", "r q"]],
  ["by its key alone, if the run has ended", false, true, ["key"]],
])("an abort withdraws an unanswered create %s", async (_, canWithdraw, isOver, expected) => {
  const caller = new AbortController();
  let reply = () => {};
  const answered = new Promise<void>((resolve) => {
    reply = resolve;
  });
  const { client, sent } = clientWith(async (one) => {
    if (one.method === "createQueryRun") await answered;
    else if (one.params.idempotencyKey !== undefined && !canWithdraw) throw refused(invalidParams);
    return created(one);
  });
  const create = createRun(client, { sql: "a" }, caller.signal, undefined, () => isOver);
  caller.abort();
  await expect(create).rejects.toMatchObject({ kind: "aborted" });
  reply();
  await new Promise(setImmediate);
  const cancels = sent.filter(({ method }) => method === "cancelQueryRun");
  const key = sent[0]?.params.idempotencyKey;
  expect(
    cancels.map(({ params }) =>
      params.idempotencyKey === key && key !== undefined ? "key" : `${params.queryRunId} ${params.queryRequestId}`,
    ),
  ).toEqual(expected);
  expect(cancels[0]?.options).toEqual(expect.objectContaining({ timeoutMs: 10_000, keepalive: true }));
});

it("an abort withdraws a create without a key by its id", async () => {
  const caller = new AbortController();
  const { client, sent } = clientWith(created, { batch: true, idempotency: false });
  await createRun(client, { sql: "a" }, caller.signal);
  caller.abort();
  await new Promise(setImmediate);
  expect(sent.slice(1).map(({ method, params }) => [method, params])).toEqual([
    ["cancelQueryRun", { queryRunId: "r", queryRequestId: "q" }],
  ]);
});

describe("a create that waits", () => {
  const wait = { waitSeconds: 1, results: { page: { size: 10_000 } } };
  const request = { sql: "a" };

  it("requests the first page, with a longer time limit, in a batch with others", async () => {
    const { client, sent, server } = clientWith(created);
    await createRun({ ...client, timeoutMs: 5_000 }, request, signal, wait);
    expect(sent[0]?.params).toMatchObject(wait);
    expect(sent[0]?.options).toMatchObject({ timeoutMs: 6_000, unbatched: false, longPoll: true });
    expect(server.firstPage).toBe(true);
    await createRun(client, request, signal, { results: wait.results });
    expect(sent[1]?.params).not.toHaveProperty("results");
  });

  it("is sent once more without these members and with its key if the service refuses them, which is remembered", async () => {
    const { client, sent, server } = clientWith((one) => {
      if ("results" in one.params) throw refused(invalidParams);
      return created(one);
    });
    await createRun(client, request, signal, wait);
    await createRun(client, request, signal, wait);
    expect(sent.map(({ params: { waitSeconds, results } }) => ({ waitSeconds, results }))).toEqual([wait, {}, {}]);
    expect(sent[1]?.params.idempotencyKey).toBe(sent[0]?.params.idempotencyKey);
    expect(server).toMatchObject({ firstPage: false, idempotency: true });
  });

  it("is not repeated for other errors, or once the service has accepted these members", async () => {
    const other = clientWith(() => Promise.reject(refused(-32164)));
    await expect(createRun(other.client, request, signal, wait)).rejects.toMatchObject({ code: -32164 });
    expect([other.sent.length, other.server.firstPage]).toEqual([1, undefined]);
    const known = clientWith(() => Promise.reject(refused(invalidParams)), {
      batch: true,
      firstPage: true,
      idempotency: true,
    });
    await expect(createRun(known.client, request, signal, wait)).rejects.toMatchObject({ code: invalidParams });
    expect(known.sent).toHaveLength(1);
  });

  it("remembers nothing from a create that fails each time", async () => {
    const { client, sent, server } = clientWith(() => Promise.reject(refused(invalidParams)));
    await expect(createRun(client, request, signal, wait)).rejects.toMatchObject({ code: invalidParams });
    expect([sent.length, server.firstPage, server.idempotency]).toEqual([3, undefined, undefined]);
  });

  it("does not wait while two groups of creates wait; the creates of one microtask are a group", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { client, sent } = clientWith(async (one) => {
      await answered;
      return created(one);
    });
    const all: Promise<unknown>[] = [];
    for (const count of [3, 2, 1]) {
      for (let each = 0; each < count; each += 1) all.push(createRun(client, request, signal, wait));
      await new Promise(setImmediate);
    }
    expect(sent.map(({ params }) => params.waitSeconds)).toEqual([1, 1, 1, 1, 1, undefined]);
    expect(sent[5]?.params.results).toEqual(wait.results);
    answer();
    await Promise.all(all);
    await createRun(client, request, signal, wait);
    expect(sent[6]?.params.waitSeconds).toBe(1);
  });
});
