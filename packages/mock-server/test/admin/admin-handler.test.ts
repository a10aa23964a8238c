import { request as httpRequest } from "node:http";
import { text as readText } from "node:stream/consumers";
import document from "@quern/spec/mock-admin.json" with { type: "json" };
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminContract } from "../../src/admin/contract.ts";
import { createLedger, createMockServer } from "../../src/index.ts";
import { type Listening, listen } from "../../src/listen.ts";
import { scripted } from "../scripted.ts";

describe("the administration", () => {
  it("has the methods of its document, and serves the document", async () => {
    expect(Object.keys(adminContract)).toEqual(document.methods.map(({ name }) => name));
    await using world = await scripted();
    expect(await world.admin.call("rpc.discover", {})).toEqual(document);
  });

  const examples = document.methods.flatMap(({ name, examples }) => examples.map((one) => ({ method: name, ...one })));
  it.each(examples)("answers as its document shows: $method, $name", async ({ method, params, result }) => {
    const ledger = createLedger();
    await using world = await scripted({ apiKey: "mock", ledger, clock: { startAt: Date.UTC(2030, 0, 1) } });
    const { when } = world.mock.namespace({ apiKey: "suite-1" });
    if (method === "deleteStub") when("select 1");
    const record = { url: "http://127.0.0.1:9", apiKey: "any" };
    if (method === "getRecording") world.mock.namespace({ apiKey: "recorded-1", record });
    expect(await world.admin.call(method, params[0]?.value)).toEqual(result.value);
  });

  it("scripts a whole test", async () => {
    await using world = await scripted();
    const clock = { startAt: "2030-01-01T00:00:00Z" };
    const { apiKey } = await world.admin.call("createNamespace", { strict: true, clock });
    const rows = { columns: ["n", { name: "n", type: "string" }], rows: [[1, null]] };
    await world.admin.call("stubStatement", { apiKey, match: "select", rows, after: "30s" });
    const match = { pattern: "FROM trucks", tags: { a: "b" } };
    await world.admin.call("stubStatement", { apiKey, match, fails: { errorMessage: "no" } });
    await world.admin.call("planFault", { apiKey, method: "listQueryRuns", status: 502, body: "" });
    const { call, create, poll, send } = world.as(apiKey);
    const run = await create("SELECT");
    const failing = await create("select 1 from trucks", { tags: { a: "b" } });
    const missing = await create("select 1 from trucks");
    expect([await poll(run), await poll(failing), await poll(missing)]).toEqual(["RUNNING", "FAILED", "FAILED"]);
    expect(await world.admin.call("advanceClock", { apiKey, by: 30_000 })).toEqual({ now: "2030-01-01T00:00:30.000Z" });
    expect(await poll(run)).toBe("SUCCESS");
    const { rows: read, columnTypes } = await call("getQueryRunResults", { queryRunId: run });
    expect({ read, columnTypes }).toEqual({ read: [[1, null]], columnTypes: ["number", "string"] });
    expect((await send("listQueryRuns", {})).status).toBe(502);
    const { calls, unexpected } = await world.admin.call("getHistory", { apiKey });
    const [first] = calls;
    expect(first).toMatchObject({
      method: "createQueryRun",
      params: { sql: "SELECT" },
      at: "2030-01-01T00:00:00.000Z",
    });
    expect(unexpected).toEqual([expect.stringContaining("select 1 from trucks")]);
  });

  it("resets a namespace to one without runs, stubs, faults and calls", async () => {
    await using world = await scripted();
    const { apiKey } = world.mock;
    const { call, create } = world.as(apiKey);
    await world.admin.call("stubStatement", { apiKey, match: "select", after: "1h", rows: [{ own: 1 }] });
    await create("select", { idempotencyKey: "k" });
    await world.admin.call("planFault", { apiKey, method: "*", status: 502, times: "ever" });
    await world.admin.call("resetNamespace", { apiKey });
    const nothing = { calls: [], unexpected: [], contractViolations: [], unusedFaults: [], unusedStubs: [] };
    expect(await world.admin.call("getHistory", { apiKey })).toEqual(nothing);
    expect(await call("listQueryRuns", {})).toEqual({ queryRuns: [], nextCursor: null });
    expect(await create("select", { idempotencyKey: "k", waitSeconds: 1 })).toBe("run_1");
    expect((await call("getQueryRunResults", { queryRunId: "run_1" })).columnNames).not.toEqual(["own"]);
  });

  it("disposes of a namespace, whose key becomes unknown", async () => {
    await using world = await scripted();
    const { apiKey } = await world.admin.call("createNamespace", {});
    expect((await world.as(apiKey).send("listQueryRuns", {})).status).toBe(200);
    await world.admin.call("disposeNamespace", { apiKey });
    expect((await world.as(apiKey).send("listQueryRuns", {})).status).toBe(401);
    for (const method of ["disposeNamespace", "resetNamespace", "getHistory"])
      expect(await world.admin.failure(method, { apiKey })).toMatchObject({ code: -32001, data: { apiKey } });
  });

  it("scripts a key of an open mock before it is used", async () => {
    await using world = await scripted({ open: true });
    await world.admin.call("stubStatement", { apiKey: "any", match: "select", rows: [{ n: 1 }] });
    await world.as("any").create("select", { waitSeconds: 1 });
    expect((await world.as("any").call("getQueryRunResults", { queryRunId: "run_1" })).rows).toEqual([[1]]);
  });
});

it("the history lists the contract violations of a stub", async () => {
  await using world = await scripted();
  const { apiKey } = world.mock;
  const violateContract = { createQueryRun: { queryRun: { state: 7 } } };
  await world.admin.call("stubStatement", { apiKey, match: "select", violateContract });
  const { queryRun } = await world.as(apiKey).call("createQueryRun", { sql: "select" });
  expect(queryRun.state).toBe(7);
  expect((await world.admin.call("getHistory", { apiKey })).contractViolations).toEqual([
    'createQueryRun({"sql":"select"}) by when("select")',
  ]);
});

it("lists the planned faults that no call has met", async () => {
  await using world = await scripted();
  const { apiKey } = world.mock;
  const unmet = async () => (await world.admin.call("getHistory", { apiKey })).unusedFaults;
  await world.admin.call("planFault", { apiKey, method: "listQueryRuns", status: 502 });
  await world.admin.call("planFault", { apiKey, method: "getQueryRun", on: 2, connection: "close-mid-body" });
  expect(await unmet()).toEqual([
    'the fault {"status":502} of listQueryRuns was applied to no call',
    'the fault {"connection":"close-mid-body"} of getQueryRun was applied to no call',
  ]);
  await world.as(apiKey).send("listQueryRuns", {});
  expect(await unmet()).toEqual(['the fault {"connection":"close-mid-body"} of getQueryRun was applied to no call']);
});

describe("invalid params", () => {
  let world: Awaited<ReturnType<typeof scripted>>;
  beforeAll(async () => {
    world = await scripted();
    world.mock.namespace({ apiKey: "k", clock: { startAt: Date.UTC(2030, 0, 1) } });
  });
  afterAll(() => world.server.close());

  const ofStub = (more: object) => ({ apiKey: "k", match: "a", ...more });
  const tooLong = { columns: ["n"], rows: [[1, 2]] };
  const weather = { errorMessage: "", errorData: { category: "WEATHER" } };
  it.each<[method: string, params: object, pointer: string, expected: RegExp]>([
    ["advanceClock", { apiKey: "k", by: "soon" }, "/by", /text that matches/],
    ["advanceClock", { apiKey: "k", by: -1 }, "/by", /at least 0/],
    ["advanceClock", { apiKey: "k", by: "99999999999d" }, "/by", /within the range of dates/],
    ["setClock", { apiKey: "k", to: "2029-12-31T23:59:59Z" }, "/to", /at or after 2030-01-01T00:00:00.000Z/],
    ["createNamespace", { clock: { startAt: "noon" } }, "/clock/startAt", /date and time/],
    ["createNamespace", { clock: { auto: true, ticking: true } }, "/clock", /only one of `auto` and `ticking`/],
    ["createNamespace", { open: true }, "/open", /no such member/],
    ["createNamespace", { strcit: true }, "/strcit", /^no such member; did you mean strict\?$/],
    ["createNamespace", { clock: { atuo: true } }, "/clock/atuo", /did you mean auto\?$/],
    ["planFault", { apiKey: "k", method: "*", statsu: 502 }, "/statsu", /did you mean status\?$/],
    ["planFault", { apiKey: "k", method: "*", connection: "restet" }, "/connection", /; did you mean "reset"\?$/],
    ["stubStatement", ofStub({ row: [] }), "/row", /did you mean rows\?$/],
    ["stubStatement", ofStub({ match: { sqll: "a" } }), "/match/sqll", /did you mean sql\?$/],
    ["stubStatement", ofStub({ sequence: [{ time: 2 }] }), "/sequence/0/time", /did you mean times\?$/],
    ["getHistory", { apiKey: "k", xyz: 1 }, "/xyz", /; use one of apiKey, method, params, limit$/],
    ["planFault", { apiKey: "k", method: "runQuery" }, "/method", /method of the service/],
    ["planFault", { apiKey: "k", method: "*" }, "", /^a member that makes a fault, such as status/],
    ["planFault", { apiKey: "k", method: "*", on: 2, times: "ever" }, "", /^a member that makes a fault/],
    ["planFault", { apiKey: "k", method: "*", delay: `${"9".repeat(400)}s` }, "/delay", /^a duration$/],
    ["planFault", { apiKey: "k", method: "*", connection: "sideways" }, "/connection", /"close-mid-body"/],
    ["planFault", { apiKey: "k", method: "*", headers: { "a b": "c" } }, "/headers/a b", /text that matches/],
    ["planFault", { apiKey: "k", method: "*", headers: { a: "☃" } }, "/headers/a", /text that matches/],
    ["stubStatement", ofStub({ match: { pattern: "(" } }), "/match/pattern", /regular expression/],
    [
      "stubStatement",
      ofStub({ match: { pattern: "a", sql: "a" } }),
      "/match/pattern",
      /only one of `sql` and `pattern`/,
    ],
    ["stubStatement", ofStub({ rows: [], fails: { errorMessage: "" } }), "/fails", /only one of `rows` and `fails`/],
    ["stubStatement", ofStub({ dataSourceQueryId: "" }), "/dataSourceQueryId", /not empty|1 character/],
    ["stubStatement", ofStub({ after: 1, afterPolls: 1 }), "/afterPolls", /only one of `after` and `afterPolls`/],
    ["stubStatement", ofStub({ rows: tooLong }), "/rows", /fit their columns/],
    ["stubStatement", ofStub({ fails: weather }), "/fails", /a failure/],
    ["stubStatement", ofStub({ violateContract: { runQuery: {} } }), "/violateContract", /a method of the service/],
  ])("of %s: %j", async (method, params, pointer, expected) => {
    expect(await world.admin.failure(method, params)).toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: `/params/0${pointer}`, expected: expect.stringMatching(expected) }] },
    });
  });

  it.each<[method: string, params: object, pointer: string, expected: string, received: string]>([
    ["planFault", { method: "*", status: 199 }, "/status", "at least 200", "199"],
    ["planFault", { method: "*", status: 600 }, "/status", "at most 599", "600"],
    ["planFault", { method: "*", on: 0 }, "/on", "at least 1", "0"],
    ["planFault", { method: "nothing" }, "/method", "a method of the service, or *", '"nothing"'],
    ["stubStatement", { match: "a", violateContract: { a: {} } }, "/violateContract", "replace", "an object"],
    [
      "stubStatement",
      { match: "a", sequence: [{}], rows: [] },
      "/sequence",
      "only one of `rows` and `sequence`",
      "both",
    ],
    [
      "stubStatement",
      { match: "a", sequence: [{}], fails: { errorMessage: "" } },
      "/sequence",
      "only one of `fails` and `sequence`",
      "both",
    ],
    ["stubStatement", { match: { pattern: "[" } }, "/match/pattern", "a regular expression of ECMAScript", '"["'],
    ["setClock", { to: "2029-12-31T23:59:59.999Z" }, "/to", "a time at or after 2030", "2029-12-31T23:59:59.999Z"],
    ["createNamespace", { apiKey: undefined, replay: { calls: 1 } }, "/replay/calls", "an array", "1"],
  ])("of %s with %j are at %s", async (method, params, pointer, expected, received) => {
    expect(await world.admin.failure(method, { apiKey: "k", ...params })).toMatchObject({
      data: { issues: [{ pointer: `/params/0${pointer}`, expected: expect.stringContaining(expected), received }] },
    });
  });

  it("say the reason of the mock", async () => {
    const reasonOf = async (method: string, params: object) =>
      (await world.admin.failure(method, { apiKey: "k", ...params })).data.reason;
    expect(await reasonOf("stubStatement", { match: { pattern: "[" } })).toMatch(/Invalid regular expression/);
    expect(await reasonOf("stubStatement", { match: "a", rows: tooLong })).toMatch(/^rows: /);
  });

  it("add no stub", async () => {
    await world.admin.call("stubStatement", ofStub({ match: "b", rows: [{ n: 1 }] }));
    await world.admin.failure("stubStatement", ofStub({ match: "b", rows: tooLong }));
    const { queryRun } = await world.as("k").call("createQueryRun", { sql: "b", waitSeconds: 1 });
    expect((await world.as("k").call("getQueryRunResults", { queryRunId: queryRun.id })).rows).toEqual([[1]]);
  });

  it("are a key that already has a namespace", async () => {
    expect(await world.admin.failure("createNamespace", { apiKey: "k" })).toMatchObject({ code: -32002 });
  });
});

describe("the HTTP server", () => {
  it("lets web pages call the service, but not its administration", async () => {
    await using server = await listen(createMockServer());
    const headers = { origin: "https://elsewhere.example" };
    const allowed = async (url: string) =>
      (await fetch(`${url}/json-rpc`, { method: "OPTIONS", headers })).headers.get("access-control-allow-origin");
    expect([await allowed(server.url), await allowed(server.adminUrl)]).toEqual(["*", null]);
    const post = async (init: RequestInit) =>
      (await fetch(`${server.adminUrl}/json-rpc`, { method: "POST", body: "{}", ...init })).status;
    expect(await post({ headers: { origin: server.url, "content-type": "application/json" } })).toBe(403);
    // A simple request, which a browser sends without a preflight, is refused.
    expect(await post({})).toBe(415);
  });

  /** Returns the status of an administrative call with a `Host` header, which `fetch` does not send. */
  const statusFor = (server: Listening, host: string, path = "/admin/json-rpc") =>
    new Promise<string>((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "createNamespace", params: [{}] });
      const headers = { host, "content-type": "application/json", "content-length": body.length };
      const request = httpRequest(
        { port: server.port, host: "127.0.0.1", method: "POST", path, headers },
        async (response) => resolve(`${response.statusCode} ${(await readText(response)).slice(0, 40)}`),
      );
      request.on("error", reject).end(body);
    });

  it("refuses administration under the name of another host, also without an origin", async () => {
    await using server = await listen(createMockServer());
    for (const host of [
      "evil.example",
      `evil.example:${server.port}`,
      "192.0.2.1",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
    ])
      expect(await statusFor(server, host)).toBe(
        `403 Host not allowed: ${host.replace(/:\d+$/, "")}; add it to allowedHosts of listen`.slice(0, 44),
      );
    for (const host of [
      "localhost",
      `LOCALHOST:${server.port}`,
      "127.0.0.1",
      "127.1.2.3:80",
      "[::1]:80",
      "mock.localhost.",
    ])
      expect(await statusFor(server, host)).toMatch(/^200 /);
    // A call of the service needs a key, which a page of another host lacks.
    expect(await statusFor(server, "evil.example", "/json-rpc")).toMatch(/^401 /);
  });

  it("accepts administration under allowed names, and under any name if it listens to other machines", async () => {
    await using named = await listen(createMockServer(), { allowedHosts: ["Quern-Mock"] });
    const statuses = ["quern-mock:8080", "localhost", "other"].map((host) => statusFor(named, host));
    expect((await Promise.all(statuses)).map((status) => status.slice(0, 3))).toEqual(["200", "200", "403"]);
    await using open = await listen(createMockServer(), { host: "0.0.0.0" });
    expect(await statusFor(open, "quern-mock")).toMatch(/^200 /);
    await using closed = await listen(createMockServer(), { host: "0.0.0.0", allowedHosts: ["quern-mock"] });
    expect([await statusFor(closed, "other"), await statusFor(closed, "quern-mock")]).toEqual([
      expect.stringMatching(/^403 /),
      expect.stringMatching(/^200 /),
    ]);
  });

  it("answers health checks", async () => {
    await using server = await listen(createMockServer());
    const health = await fetch(`${server.url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    expect((await fetch(`${server.url}/healthz`, { method: "HEAD" })).status).toBe(200);
  });

  it("answers 404 elsewhere", async () => {
    await using server = await listen(createMockServer());
    for (const path of ["/", "/admin", "/admin/", "/json-rpc/admin", "/admin/admin/json-rpc"])
      expect((await fetch(`${server.url}${path}`, { method: "POST" })).status).toBe(404);
  });
});
