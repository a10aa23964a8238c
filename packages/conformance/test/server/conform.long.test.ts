import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createClient, listQueryRuns } from "@quern/client";
import { type Handler, intercepted } from "@quern/json-rpc/handler";
import { createRequestListener } from "@quern/json-rpc/node";
import { createMockServer } from "@quern/mock-server";
import { expect, onTestFinished, test } from "vitest";
import { ApiKeyError, conform, formatReport, profiles, readCorpora, UnreachableError } from "../../src/index.ts";
import { createConformingMock } from "../stubs.ts";
import { type Fault, faults, withFault } from "./broken-services.ts";

const apiKey = "any key";
/** Listens until the test ends. @returns The base URL. */
async function listening(server: Server): Promise<string> {
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const listen = (handler: Handler) => listening(createServer(createRequestListener(handler)));

function createService(): Handler {
  return createConformingMock({ apiKey }).handler;
}

function serviceWith(fault: Fault): Promise<string> {
  return listen(withFault(createService(), fault));
}

/** Runs some cases and returns the ids of those that fail. */
async function failed(url: string, ids: readonly string[]): Promise<readonly string[]> {
  const { results } = await conform({ url, apiKey, only: ({ id }) => ids.includes(id), seed: 1, timeoutMs: 2000 });
  return results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
}

test("the whole corpus passes on a correct service", async () => {
  const report = await conform({ url: await listen(createService()), apiKey, tries: 5 });
  expect(formatReport(report)).toMatch(/^15 of 15 methods\n(.*\n)*(\d+) of \2 checks pass on http/);
  expect(report.results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  expect(report.results.length).toBeGreaterThan(400);
  expect(report.isConformant && report.isConclusive).toBe(true);
  expect(new Set(report.results.map(({ profile }) => profile))).toEqual(new Set(profiles));
}, 60_000); // sends the whole corpus

test("no case depends on behavior that the contract leaves open", async () => {
  const mock = createConformingMock({ apiKey, variationSeed: 3 });
  const report = await conform({ url: await listen(mock.handler), apiKey, tries: 3 });
  expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
}, 60_000); // sends the whole corpus

test.each(faults.map((fault) => [fault.name, fault] as const))("a service that %s is found out", async (_, fault) => {
  expect((await failed(await serviceWith(fault), fault.fails)).toSorted()).toEqual(fault.fails);
});

/** A service that never answers bodies with this text. */
function hangingAt(text: string): Handler {
  return intercepted(createService(), ({ body }, next) =>
    String(typeof body === "string" ? body : Buffer.from(body)).includes(text)
      ? new Promise(() => undefined)
      : next(body),
  );
}

test("a service that is too slow is inconclusive, not failed", async () => {
  const url = await listen(hangingAt("getQueryRunResults"));
  const report = await conform({ url, apiKey, ids: ["REQ-001", "PAGE-001", "fuzz/views"], seed: 1, timeoutMs: 300 });
  const outcomes = report.results.map(({ id, outcome }) => [id, outcome]);
  expect(outcomes).toEqual([
    ["REQ-001", "passed"],
    ["PAGE-001", "inconclusive"],
    ["fuzz/views", "inconclusive"],
  ]);
  expect(report).toMatchObject({ isConformant: true, isConclusive: false });
  expect(report.results[1]?.problems).toEqual([expect.stringContaining("no complete response within 300 ms")]);
  expect(formatReport(report)).toContain("1 of 3 checks pass on");
  expect(formatReport(report)).toContain(", 2 inconclusive (seed 1)");
});

test("a service that never answers is one error", async () => {
  const hanging = await listen(intercepted(createService(), () => new Promise(() => undefined)));
  await expect(conform({ url: hanging, apiKey, timeoutMs: 300 })).rejects.toThrow(
    /does not answer in time: no complete response within/,
  );
});

test.each([
  [
    404,
    "text/html",
    "<h1>Not Found</h1>",
    /no JSON-RPC endpoint at .*\/json-rpc: HTTP 404, text\/html; pass the URL that accepts calls/,
  ],
  [200, "text/html; charset=utf-8", "<h1>Welcome</h1>", /no JSON-RPC endpoint at .*: HTTP 200, text\/html/],
  [405, "text/plain", "", /no JSON-RPC endpoint at .*: HTTP 405/],
  [401, "application/json", '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no key"}}', ApiKeyError],
  [403, "text/plain", "no", /refuses the API key: HTTP 403; pass a valid key$/],
])("an address that answers HTTP %i and %s is one error", async (status, contentType, body, error) => {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": contentType }).end(body);
  });
  const url = await listening(server);
  await expect(conform({ url, apiKey })).rejects.toThrow(error);
});

/** A service with one method without parameters. */
async function pinging(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id, method, params }: { id: unknown; method: string; params: unknown[] } = JSON.parse(
      (await text(request)) || "{}",
    );
    const error = method === "ping" ? params.length > 0 && -32602 : -32601;
    const reply = error ? { error: { code: error, message: "no" } } : { result: "pong" };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  });
  return listening(server);
}

test("a document with a method without parameters can be tested", async () => {
  const result = { name: "result", schema: { type: "string" } };
  const document = { openrpc: "1.3.2", methods: [{ name: "ping", params: [], result, errors: [] }] };
  const report = await conform({ url: await pinging(), apiKey, document, corpora: [], profiles: ["schemas"] });
  expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([["fuzz/ping/allowed", "passed"]]);
});

test("all faults of an answer are listed, each with the HTTP status", async () => {
  const one: Fault["one"] = ({ id, result }) =>
    result?.queryRequest !== undefined && {
      jsonrpc: "2.0",
      id: String(id),
      result: { ...result, queryRequest: undefined, sqlStatement: undefined },
      took: 3,
    };
  const { results } = await conform({ url: await serviceWith({ name: "", fails: [], one }), apiKey, ids: ["RUN-001"] });
  const fixture = results[0]?.problems.map((problem) =>
    problem.replace(/^fixture finishedRun: step \d \(createQueryRun\): /, ""),
  );
  expect(fixture).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^HTTP 200: response object: unexpected members \{"took":3\}/),
      expect.stringMatching(/^HTTP 200: id "1" was not sent/),
      expect.stringMatching(/^HTTP 200: id: expected 1, got "1"/),
    ]),
  );
  const lost = await conform({
    url: await serviceWith({
      name: "",
      fails: [],
      one: (answer) => one(answer) && { ...(one(answer) as object), id: answer.id },
    }),
    apiKey,
    ids: ["RUN-001"],
  });
  expect(lost.results[0]?.problems.join("\n")).toContain(
    "does not match the OpenRPC document: /queryRequest is missing",
  );
  expect(lost.results[0]?.problems.join("\n")).toContain(
    "does not match the OpenRPC document: /sqlStatement is missing",
  );
});

test("a server that claims only JSON-RPC may return any result", async () => {
  const one: Fault["one"] = (answer) => answer.result && { ...answer, result: { anything: true } };
  const url = await serviceWith({ name: "", fails: [], one });
  const { results } = await conform({ url, apiKey, profiles: ["json-rpc"], seed: 1, tries: 5 });
  expect(results.filter(({ problems }) => problems.join().includes("does not match the OpenRPC document"))).toEqual([]);
  expect(results.find(({ id }) => id === "fuzz/batches")?.outcome).toBe("passed");
});

test("checks are selected by id and by group, and an unknown name is refused", async () => {
  const url = await listen(createService());
  const selected = async (selection: { ids?: string[]; groups?: string[] }) =>
    (await conform({ url, apiKey, tries: 1, ...selection })).results.map(({ id }) => id);
  expect(await selected({ ids: ["req-001", "PAGE-*"] })).toEqual([
    "REQ-001",
    "PAGE-001",
    "PAGE-002",
    "PAGE-003",
    "PAGE-004",
    "PAGE-005",
    "PAGE-006",
    "PAGE-007",
  ]);
  expect(await selected({ groups: ["auth"] })).toEqual(["AUTH-135", "AUTH-136", "AUTH-137"]);
  await expect(selected({ groups: ["PAGES"] })).rejects.toThrow(/unknown group "PAGES"; the groups are .*PAGE/);
  await expect(selected({ ids: ["PAGE-009"] })).rejects.toThrow(
    'unknown check "PAGE-009"; the group PAGE has PAGE-001 to PAGE-007',
  );
});

test("the error of an address without a server has the address", async () => {
  const absent = conform({ url: "http://127.0.0.1:1", apiKey });
  await expect(absent).rejects.toThrow(UnreachableError);
  await expect(absent).rejects.toThrow(/no server answers at http:\/\/127.0.0.1:1\/json-rpc: .*ECONNREFUSED/);
});

test("a value that a step captures must be present", async () => {
  const call = { jsonrpc: "2.0", method: "createQueryRun", params: [{ sql: "select 1" }], id: 1 };
  const step = { send: { json: call }, expect: { reply: { id: 1 } }, capture: { id: "/result/queryRun/ID" } };
  const one = { id: "A", level: "MUST", rule: "", source: "", steps: [step] } as const;
  const url = await listen(createService());
  const { results } = await conform({
    url,
    apiKey,
    corpora: [{ title: "", profile: "service", cases: [one] }],
    only: ({ id }) => id === "A",
  });
  expect(results).toMatchObject([{ outcome: "failed", problems: ["/result/queryRun/ID is missing"] }]);
});

test("an expected failure does not fail the run, and one that passes does", async () => {
  const expectedFailures = { "EX-004": "not yet" };
  const corpora = (await readCorpora()).slice(0, 1);
  const passing = await listen(createService());
  const only = ({ id }: { readonly id: string }): boolean => id === "EX-004";
  const unexpected = await conform({ url: passing, apiKey, corpora, expectedFailures, only });
  expect(unexpected.isConformant).toBe(false);
  expect(formatReport(unexpected)).toContain("EX-004");
  const failing = await serviceWith({ name: "", fails: [], text: "{}" });
  const expected = await conform({ url: failing, apiKey, corpora, expectedFailures, only });
  expect(expected.isConformant).toBe(true);
  expect(expected.results[0]?.outcome).toBe("expected-failure");
});

test("a property that is expected to fail may pass", async () => {
  const url = await listen(createService());
  const expectedFailures = { "fuzz/links": "for some values" };
  const report = await conform({ url, apiKey, expectedFailures, ids: ["fuzz/links"], seed: 1, tries: 1 });
  expect(report.results.map(({ outcome }) => outcome)).toEqual(["passed"]);
  expect(report.isConformant).toBe(true);
});

test("an unknown expected failure and a duplicate id are errors", async () => {
  const nowhere = { url: "http://127.0.0.1:1", apiKey };
  await expect(conform({ ...nowhere, expectedFailures: { "EX-999": "what" } })).rejects.toThrow("EX-999");
  const one = { id: "A", level: "MUST", rule: "", source: "", steps: [] } as const;
  await expect(
    conform({ ...nowhere, corpora: [{ title: "", profile: "service", cases: [one, one] }] }),
  ).rejects.toThrow("A");
});

test("a counterexample is shrunk, and found again by its seed", async () => {
  const url = await serviceWith({
    name: "",
    fails: [],
    // The fault applies only to page numbers above 100.
    one: ({ id, result }) =>
      Number((result?.page as { currentPageNumber: number } | undefined)?.currentPageNumber) > 100 && {
        jsonrpc: "2.0",
        id,
        result: {},
      },
  });
  const only = ({ id }: { readonly id: string }): boolean => id === "fuzz/getQueryRunResults/allowed";
  const { results } = await conform({ url, apiKey, only, seed: 1, tries: 200 });
  const text = results[0]?.problems.at(-1) ?? "";
  expect(text).toMatch(
    /^counterexample: \{"queryRunId":"run_1","page":\{"number":101\}\} \(seed 1, shrunk \d+ times\)$/,
  );
  const again = await conform({ url, apiKey, only, seed: 1, tries: 200 });
  expect(again.results[0]?.problems.at(-1)?.replace(/run_\d+/, "run_1")).toBe(text);
});

test("runs that no check needs are canceled", async () => {
  const mock = createMockServer({ apiKey });
  const only = ({ id }: { readonly id: string }): boolean => ["RUN-002", "EX-001", "fuzz/links"].includes(id);
  await conform({ url: await listen(mock.handler), apiKey, only, seed: 1, tries: 5 });
  const { queryRuns } = await listQueryRuns(createClient(mock), {});
  expect(queryRuns.length).toBeGreaterThan(5);
  expect(queryRuns.filter(({ endedAt }) => endedAt === null)).toEqual([]);
});

test("only claimed profiles are tested, and the report has the coverage", async () => {
  const url = await listen(createService());
  const { results, coverage } = await conform({ url, apiKey, profiles: ["service"], tries: 5 });
  expect(new Set(results.map(({ profile }) => profile))).toEqual(new Set(["service"]));
  expect(coverage.methods.missing).toEqual([]);
  expect(coverage.codes.seen).toContain("getQueryRunResults -32156");
  expect(coverage.codes.missing).toContain("getQueryRun -32029");
  expect(coverage.states.seen).toContain("QUERY_STATE_SUCCESS");
  expect(coverage.members.seen).toContain("QueryRun.endedAt");
  expect(coverage.members.missing).toContain("QueryRunErrorData.line");
});
