import { afterEach, describe, expect, it, vi } from "vitest";
import { createLedger, createMockServer, type MockServer } from "../../src/index.ts";

afterEach(() => vi.restoreAllMocks());

/** Returns the texts that are parsed while `work` runs. */
async function parsedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const parse = vi.spyOn(JSON, "parse");
  await work();
  const texts = parse.mock.calls.map(([text]) => text);
  parse.mockRestore();
  return texts;
}

const call = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params: [params] });

/** Mock in which all middleware reads requests and replies: `violateContract`, a fault, a ledger and a `variationSeed`. */
function readingMock(): MockServer {
  const mock = createMockServer({ ledger: createLedger(), variationSeed: 5, strict: true });
  mock
    .when("select 1")
    .rows([{ n: 1 }])
    .violateContract("createQueryRun", { queryRun: { rowCount: 7 } });
  mock.fault("*", { times: "ever", override: { more: true } });
  return mock;
}

function send({ fetch, url, apiKey }: MockServer, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  return fetch(`${url}/json-rpc`, { method: "POST", headers, body });
}

const isReply = (text: string) => /^\s*\[?\s*\{[^[{]*"(result|error)"/.test(text);

describe("one exchange", () => {
  const lone = JSON.stringify(call(1, "createQueryRun", { sql: "select 1" }));
  const batch = JSON.stringify([
    call(1, "createQueryRun", { sql: "select 1" }),
    call(2, "getQueryRun", { queryRunId: "none" }),
    call(3, "noMethod", {}),
  ]);

  it.each([
    ["a call", lone],
    ["a batch", batch],
  ])("parses the body of %s once, and the reply once, for all middleware", async (_, body) => {
    const mock = readingMock();
    const texts = await parsedBy(async () => {
      await send(mock, body);
      expect(mock.history.calls.length).toBeGreaterThan(0);
    });
    expect(texts.filter((text) => text === body)).toHaveLength(1);
    expect(texts.filter((text) => text !== body && isReply(text))).toHaveLength(1);
  });

  it("parses bytes once", async () => {
    const mock = readingMock();
    const texts = await parsedBy(() => send(mock, new TextEncoder().encode(lone)));
    expect(texts.filter((text) => text === lone)).toHaveLength(1);
  });

  it("does not parse a reply that no middleware reads", async () => {
    const mock = createMockServer();
    const texts = await parsedBy(() => send(mock, lone));
    expect(texts.filter((text) => text === lone)).toHaveLength(1);
    expect(texts.filter((text) => text !== lone && isReply(text))).toEqual([]);
  });

  it("answers invalid JSON and invalid UTF-8 as the service does", async () => {
    const mock = readingMock();
    for (const body of ["{", new Uint8Array([0x22, 0xff, 0x22])]) {
      const { error } = await (await send(mock, body)).json();
      expect(error.code).toBe(-32700);
    }
    expect(mock.history.unexpected()).toHaveLength(2);
  });
});

it("a function of a test that changes its parameters does not change the recorded call", async () => {
  const ledger = createLedger();
  const mock = createMockServer({
    ledger,
    execute: ({ parameters, tags }) => {
      (parameters as number[]).pop();
      (tags as Record<string, string>).changed = "yes";
      return [];
    },
  });
  const params = { sql: "select ?", parameters: [1], tags: { team: "a" }, waitSeconds: 1 };
  await send(mock, JSON.stringify(call(1, "createQueryRun", params)));
  mock.history.expectCalled("createQueryRun", params);
  const [recorded] = mock.history.calls;
  expect(recorded?.params).toEqual(params);
  expect(ledger.ledger().sessions).toMatchObject([[{ params }]]);
});
