import { describe, expect, it } from "vitest";
import { recordingMiddleware } from "../../src/recording/middleware.ts";
import { createAnswers, createRecorder } from "../../src/recording/recorder.ts";
import { createExchange } from "../../src/wire/exchange.ts";

const url = "https://service.example.org";
const body = '{"jsonrpc":"2.0","id":1,"method":"getQueryRun","params":[{"queryRunId":"a"}]}';
const call = { method: "getQueryRun", params: { queryRunId: "a" } };
const reply = (answer: object): Response => Response.json({ jsonrpc: "2.0", id: 1, ...answer });

describe("a recorder", () => {
  /** Records one call with this response. */
  async function recorded(response: Response) {
    const { fetch, recording } = createRecorder(async () => response);
    const passed = await fetch(url, { method: "POST", body });
    return { passed, ...recording() };
  }

  it.each([
    [null, null],
    ["text", "text"],
    [{ code: 5 }, { code: 5 }],
    [
      { code: 5, message: 6 },
      { code: 5, message: 6 },
    ],
    [
      { code: 5, message: 'no "a"' },
      { code: 5, message: 'no "redacted"' },
    ],
  ])("records the error %j", async (error, kept) => {
    expect((await recorded(reply({ error }))).calls).toEqual([{ ...call, error: kept }]);
  });

  it("passes on the response, also one that cannot be read", async () => {
    expect(await (await recorded(reply({ result: 1 }))).passed.json()).toEqual({ jsonrpc: "2.0", id: 1, result: 1 });
    const unreadable = new Response(new ReadableStream({ start: (stream) => stream.error(new Error("lost")) }));
    const { passed, calls } = await recorded(unreadable);
    expect([passed, calls]).toEqual([unreadable, []]);
  });

  it("returns recordings that later calls do not change", async () => {
    const { fetch, recording } = createRecorder(async () => reply({ result: 1 }));
    const before = recording();
    await fetch(url, { method: "POST", body });
    expect([before.calls.length, recording().calls.length]).toEqual([0, 1]);
  });
});

describe("the middleware of a recording", () => {
  const next = () => Promise.reject(new Error("not forwarded"));

  /** Forwards a request to a service that answers with this response. */
  async function forwarded(sent: string | Uint8Array, response: Response, signal?: AbortSignal) {
    const requests: unknown[] = [];
    const fetch = async (...request: unknown[]) => {
      requests.push(request);
      return response;
    };
    const { record, recording } = createAnswers();
    const recorder = { url: `${url}/`, apiKey: "key", fetch, record, recording };
    const caller = { headers: new Headers(), namespace: { recorder }, signal };
    const answer = await recordingMiddleware(createExchange(sent, caller), next);
    return { requests, answer, calls: recording().calls };
  }

  it("forwards the body and the signal with the key of the service, and records the answer", async () => {
    const { signal } = new AbortController();
    const { requests, answer, calls } = await forwarded(body, reply({ result: 1 }), signal);
    const headers = { "content-type": "application/json", "x-api-key": "key" };
    expect(requests).toEqual([[`${url}/json-rpc`, { method: "POST", headers, body, signal }]]);
    expect(answer).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json" },
      body: ['{"jsonrpc":"2.0","id":1,"result":1}'],
    });
    expect(calls).toEqual([{ ...call, result: 1 }]);
  });

  it("forwards bytes, and answers without a body or a type as the service does", async () => {
    const bytes = new TextEncoder().encode(body);
    const { requests, answer, calls } = await forwarded(bytes, new Response(null, { status: 204 }));
    const headers = { "content-type": "application/json", "x-api-key": "key" };
    expect(requests).toEqual([[`${url}/json-rpc`, { method: "POST", headers, body: bytes }]]);
    expect(answer).toMatchObject({ status: 204, headers: {}, body: null });
    expect(calls).toEqual([]);
  });

  it("passes on requests of a namespace without a service, and of none", async () => {
    for (const namespace of [undefined, { recorder: undefined }]) {
      const exchange = createExchange(body, { headers: new Headers(), namespace, signal: undefined });
      await expect(recordingMiddleware(exchange, next)).rejects.toThrow("not forwarded");
    }
  });
});
