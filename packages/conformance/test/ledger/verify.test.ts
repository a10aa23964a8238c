import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { intercepted } from "@quern/json-rpc/handler";
import { createMockServer, type MockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { createServer } from "@quern/server";
import { describe, expect, it } from "vitest";
import { formatVerification, type StateChange, verify } from "../../src/index.ts";
import { type Call, read, sql, used } from "./consumer.ts";

const apiKey = "any key";

/** Verifies a ledger on another mock in place of a service. */
async function against(ledger: unknown, script: (mock: MockServer) => void): Promise<string> {
  const mock = createMockServer({ apiKey });
  script(mock);
  await using server = await listen(mock);
  return formatVerification(await verify({ ledger, url: server.url, apiKey }));
}

describe("a ledger", () => {
  it("passes on the service, repeatedly", async () => {
    const ledger = await used(
      async (call) => {
        await read(call);
        const { queryRun } = await call("createQueryRun", { sql: "select nothing from nowhere" });
        await call("getQueryRun", { queryRunId: queryRun.id });
        await call("getQueryRunResults", { queryRunId: queryRun.id });
        await call("getQueryRun", { queryRunId: "no-such-run" });
        await call("cancelQueryRun", { queryRunId: queryRun.id });
      },
      (mock) => mock.when("select nothing from nowhere").fails({ errorMessage: "there is no table nowhere" }),
    );
    const dataDir = await mkdtemp(join(tmpdir(), "quern-verify-"));
    await using server = await createServer({ dataDir, apiKey, sources: [{ name: "samples", provider: "quern" }] });
    const { url } = await server.listen();
    for (let times = 0; times < 2; times += 1) {
      const verification = await verify({ ledger, url, apiKey });
      expect(verification, formatVerification(verification)).toMatchObject({ isVerified: true, isConclusive: true });
      expect(verification.sessions.flatMap(({ calls }) => calls)).toHaveLength(8);
    }
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  it("waits for runs whose recorded state is final", async () => {
    const rows = (mock: MockServer) => mock.when(sql).rows([{ name: "a", cylinders: 1 }]);
    expect(await against(await used(read), (mock) => rows(mock).afterPolls(3))).toMatch(
      /^3 of 3 calls in 1 sessions pass on/,
    );
  });

  it("requires no state of a run that had not ended when it was recorded", async () => {
    const poll = async (call: Call): Promise<void> => {
      const { queryRun } = await call("createQueryRun", { sql });
      await call("getQueryRun", { queryRunId: queryRun.id });
    };
    const ledger = await used(poll, (mock) => mock.when(sql).rows([]).afterPolls(2));
    expect(JSON.stringify(ledger)).not.toContain("QUERY_STATE_SUCCESS");
    for (const polls of [1, 4])
      expect(await against(ledger, (mock) => mock.when(sql).rows([]).afterPolls(polls))).toMatch(/^2 of 2 calls in/);
  });

  it("fails on other columns, and names them", async () => {
    const text = await against(await used(read), (mock) => mock.when(sql).rows([{ name: "a", gears: 1 }]));
    expect(text).toContain('/result/columnNames: expected ["name","cylinders"], got ["name","gears"]');
    expect(text).toContain("2 of 3 calls");
  });

  it("requires less if members are removed from it", async () => {
    const taken = ["columnNames", "columnTypes", "rows"];
    const text = JSON.stringify(await used(read), (name, value) => (taken.includes(name) ? undefined : value));
    const others = (mock: MockServer) => mock.when(sql).rows([{ gears: "five", wheels: "four" }]);
    expect(await against(JSON.parse(text), others)).toMatch(/^3 of 3 calls in 1 sessions pass on/);
  });

  it("requires no equal values, and nothing of a member that was null", async () => {
    const ledger = await used(read, (mock) => mock.when(sql).rows([{ name: null, cylinders: 4 }]));
    const others = (mock: MockServer) => mock.when(sql).rows([{ name: "fiat 128", cylinders: 6 }]);
    const text = JSON.stringify(ledger, (name, value) => (name === "columnTypes" ? undefined : value));
    expect(await against(JSON.parse(text), others)).toMatch(/^3 of 3 calls in/);
  });

  it("fails on another type, another ending and another code", async () => {
    const ledger = await used(read);
    const types = await against(ledger, (mock) => mock.when(sql).rows([{ name: 7, cylinders: 4 }]));
    expect(types).toContain('/result/rows/0/0: expected the string "ford pinto", got the number 7');
    const failed = await against(ledger, (mock) => mock.when(sql).fails({ errorMessage: "no such column" }));
    expect(failed).toContain('/result/queryRun/state: expected "QUERY_STATE_SUCCESS", got "QUERY_STATE_FAILED"');
    expect(failed).toContain("no such column");
    expect(failed).toContain('expected the result {"columnNames":["name","cylinders"]');
  });

  it("fails if one of its sessions fails", async () => {
    const kept = await used(read);
    const broken = await used(
      (call) =>
        call("createQueryRun", { sql: "select nothing" }).then(({ queryRun }) =>
          call("getQueryRun", { queryRunId: queryRun.id }),
        ),
      (mock) => mock.when("select nothing").fails({ errorMessage: "there is nothing" }),
    );
    const mock = createMockServer({ apiKey });
    mock.when(sql).rows([{ name: "a", cylinders: 1 }]);
    mock.when("select nothing").rows([]);
    await using server = await listen(mock);
    const sessions = [...kept.sessions, ...broken.sessions];
    expect((await verify({ ledger: { sessions: kept.sessions }, url: server.url, apiKey })).isVerified).toBe(true);
    expect((await verify({ ledger: { sessions }, url: server.url, apiKey })).isVerified).toBe(false);
    expect((await verify({ ledger: { sessions: sessions.toReversed() }, url: server.url, apiKey })).isVerified).toBe(
      false,
    );
  });

  it("is an object of sessions, and an error names an invalid member", async () => {
    const nowhere = { url: "http://127.0.0.1:1", apiKey };
    await expect(verify({ ...nowhere, ledger: [] })).rejects.toThrow("not a ledger: expected an object");
    const used = { sessions: [[{ method: "listTables", params: {} }]] };
    await expect(verify({ ...nowhere, ledger: used })).rejects.toThrow("no server answers");
    const invalid = { method: 7 };
    for (const [session, member] of [
      [[invalid], "/sessions/0/0 must"],
      [{ calls: [invalid] }, "/sessions/0/calls/0 must"],
    ] as const)
      await expect(verify({ ...nowhere, ledger: { sessions: [session] } })).rejects.toThrow(member);
    const states = { sessions: [{ providerStates: ["cars"], calls: [] }] };
    await expect(verify({ ...nowhere, ledger: states })).rejects.toThrow("/sessions/0/providerStates must be");
  });
});

const columns = ["id", "state", "format", "code", "queryRunId", "toString", "nextCursor"] as const;
const named = "select * from settings";
const rowOf = (text: string) => Object.fromEntries(columns.map((name) => [name, `${text} ${name}`]));

/** Reads rows with columns named like members of the document, and uses their values in a later statement. */
async function settings(call: Call): Promise<void> {
  const { queryRun } = await call("createQueryRun", { sql: named });
  await call("getQueryRun", { queryRunId: queryRun.id });
  await call("getQueryRunResults", { queryRunId: queryRun.id, format: "json" });
  await call("getQueryRunResults", {
    queryRunId: queryRun.id,
    format: "json",
    filters: [{ column: "id", eq: "mock id" }],
  });
  await call("createQueryRun", { sql: "mock id", tags: { id: "mock id" } });
}

describe("rows with columns named like members of the document", () => {
  const script = (text: string) => (mock: MockServer) => {
    mock.when(named).rows([rowOf(text)]);
    mock.when("mock id").rows([{ n: 1 }]);
  };

  it("are compared by type, and the statements are sent as recorded", async () => {
    const ledger = await used(settings, script("mock"));
    const mock = createMockServer({ apiKey });
    script("service")(mock);
    await using server = await listen(mock);
    const verification = await verify({ ledger, url: server.url, apiKey });
    expect(verification.isVerified, formatVerification(verification)).toBe(true);
    const sent = mock.history.calls.filter(({ method }) => method === "createQueryRun");
    expect(sent.map(({ params }) => params)).toMatchObject([
      { sql: named },
      { sql: "mock id", tags: { id: "mock id" } },
    ]);
  });

  it.each(columns)("show a service that has lost the column %s", async (lost) => {
    const { [lost]: _, ...row } = rowOf("service");
    const text = await against(await used(settings, script("mock")), (mock) => {
      script("mock")(mock);
      mock.when(named).rows([row]);
    });
    expect(text).toContain(`/result/rows/0/${lost.toLowerCase()}: expected the string "mock ${lost}", got no member`);
  });
});

describe("a ledger with names and provider states", () => {
  const stated = async () => {
    const { sessions } = await used(read);
    const providerStates = [{ name: "there are cars", params: { count: 1 } }];
    const calls = sessions.flatMap((session) => ("calls" in session ? session.calls : session));
    return { sessions: [{ consumer: "garage", test: "lists its cars", providerStates, calls }] };
  };

  it("has consumer, test and statement in each difference", async () => {
    const text = await against({ sessions: [{ ...(await stated()).sessions[0], providerStates: [] }] }, (mock) =>
      mock.when(sql).rows([{ name: "a", gears: 1 }]),
    );
    expect(text).toContain("consumer garage, test lists its cars\n  call 3 of 3: getQueryRunResults");
    expect(text).toContain(`\n    statement: ${sql}\n    /result/columnNames: expected`);
  });

  it("sets the states before the calls and removes them afterwards", async () => {
    const mock = createMockServer({ apiKey });
    await using server = await listen(mock);
    const changes: object[] = [];
    const changeState = (change: StateChange) => {
      changes.push({ ...change, isFirst: !mock.history.calls.some(({ method }) => method === "createQueryRun") });
      if (change.action === "setup") mock.when(sql).rows([{ name: "a", cylinders: 1 }]);
    };
    const { isVerified } = await verify({ ledger: await stated(), url: server.url, apiKey, changeState });
    expect(isVerified).toBe(true);
    const state = { name: "there are cars", params: { count: 1 }, consumer: "garage" };
    expect(changes).toEqual([
      { ...state, action: "setup", isFirst: true },
      { ...state, action: "teardown", isFirst: false },
    ]);
  });

  it("is refused without changeState, and reports a state that cannot be set", async () => {
    const ledger = await stated();
    const nowhere = { url: "http://127.0.0.1:1", apiKey };
    await expect(verify({ ...nowhere, ledger })).rejects.toThrow(
      'the ledger needs the provider state "there are cars"; pass changeState, or --state-url or --state-command',
    );
    await using server = await listen(createMockServer({ apiKey }));
    const changeState = () => Promise.reject(new Error("no database"));
    const verification = await verify({ ledger, url: server.url, apiKey, changeState });
    expect(verification.isVerified).toBe(false);
    expect(formatVerification(verification)).toContain(
      'test lists its cars\n  setup of the provider state "there are cars" failed: no database',
    );
  });
});

it("compares the name of a failure that the stub names", async () => {
  const fails = (errorName: string) => (mock: MockServer) => mock.when(sql).fails({ errorName, errorMessage: "no" });
  const poll = async (call: Call): Promise<void> => {
    const { queryRun } = await call("createQueryRun", { sql });
    await call("getQueryRun", { queryRunId: queryRun.id });
  };
  const ledger = await used(poll, fails("CatalogError"));
  expect(await against(ledger, fails("CatalogError"))).toMatch(/^2 of 2 calls/);
  expect(await against(ledger, fails("BinderError"))).toContain(
    '/result/queryRun/errorName: expected "CatalogError", got "BinderError"',
  );
});

it("accepts the columns of a service for the stub rows([])", async () => {
  const ledger = await used(read, (mock) => mock.when(sql).rows([]));
  expect(await against(ledger, (mock) => mock.when(sql).rows([{ name: "a", cylinders: 4 }]))).toMatch(/^3 of 3 calls/);
});

it("bounds a change of a provider state, and aborts it", async () => {
  const providerStates = [{ name: "cars" }];
  const ledger = { sessions: [{ providerStates, calls: [{ method: "listQueryRuns", params: {}, result: {} }] }] };
  await using server = await listen(createMockServer({ apiKey }));
  let isAborted = false;
  const changeState = (_: StateChange, signal: AbortSignal) =>
    new Promise<void>(() => signal.addEventListener("abort", () => (isAborted = true)));
  // Long enough for the first call of a busy machine.
  const { sessions, isVerified } = await verify({ ledger, url: server.url, apiKey, timeoutMs: 1_000, changeState });
  expect([isVerified, isAborted]).toEqual([false, true]);
  expect(sessions[0]).toMatchObject({
    calls: [],
    stateProblems: ['setup of the provider state "cars" failed: not done within 1000 ms'],
  });
});

/** Faults of a service: each changes one thing in every answer. */
const breaks: readonly (readonly [name: string, breakIt: (result: Answer) => unknown, found: string])[] = [
  ["loses the columns", ({ columnNames: _, ...rest }) => rest, "/columnNames is missing"],
  [
    "renames a column",
    (result) => "rows" in result && { ...result, columnNames: ["name", "gears"] },
    "/result/columnNames",
  ],
  [
    "changes a type",
    (result) => "rows" in result && { ...result, columnTypes: ["json", "number"] },
    "/result/columnTypes",
  ],
  ["gives numbers as strings", (result) => "rows" in result && { ...result, rows: [["a", "4"]] }, "/result/rows/0/1"],
  ["gives rows as objects", (result) => "rows" in result && { ...result, rows: [{ name: "a" }] }, "/result/rows/0"],
  ["gives no rows", (result) => "rows" in result && { ...result, rows: null }, "/result/rows: expected the array"],
  ["changes the format", (result) => "rows" in result && { ...result, format: "arrow" }, "/result/format: expected"],
  ["loses the page", (result) => "rows" in result && { ...result, page: null }, "/result/page: expected the object"],
  ["loses the original run", ({ originalQueryRun: _, ...rest }) => rest, "/originalQueryRun is missing"],
  ["loses the request", ({ queryRequest: _, ...rest }) => rest, "/queryRequest is missing"],
];

type Answer = Readonly<Record<string, unknown>>;

it.each(breaks)("a service that %s is found out", async (_, broken, found) => {
  const ledger = await used(read);
  const mock = createMockServer({ apiKey });
  mock.when(sql).rows([{ name: "a", cylinders: 4 }]);
  const handler = intercepted(mock.handler, async ({ body }, next) => {
    const reply = await next(body);
    const value = JSON.parse((reply.body ?? []).map((piece) => Buffer.from(piece).toString()).join("") || "{}");
    const result = value.result && broken(value.result);
    return result ? { ...reply, body: [Buffer.from(JSON.stringify({ ...value, result }))] } : reply;
  });
  await using server = await listen({ ...mock, handler });
  const verification = await verify({ ledger, url: server.url, apiKey });
  expect(verification.isVerified).toBe(false);
  expect(formatVerification(verification)).toContain(found);
});
