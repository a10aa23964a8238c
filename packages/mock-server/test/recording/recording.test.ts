import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, query, rowsOf } from "@quern/client";
import { afterAll, describe, expect, it } from "vitest";
import { recordingFrom, saveRecording } from "../../src/files.ts";
import { createMockServer, createRecorder, type MockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-recording-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "service.json");

/** Mock in place of the service. */
function service(): MockServer {
  const mock = createMockServer({ apiKey: "the-secret-key" });
  mock
    .when(/from cars/)
    .rows([{ name: "fiat 128", year: 1971 }])
    .afterPolls(3);
  mock.when(/from trucks/).fails({ errorMessage: `no table "trucks" in: select 'secret-literal', 4711 from trucks` });
  return mock;
}

const statement =
  "select name, year from cars where owner = 'secret-literal' and year > 1970 and n = $$secret-literal$$ -- secret-literal";

/** Returns the results of two queries as a client gets them. */
async function seen({ fetch, url, apiKey }: Pick<MockServer, "fetch" | "url" | "apiKey">) {
  const client = createClient({ fetch, url, apiKey });
  const states: string[] = [];
  const result = await query(
    client,
    { sql: statement, parameters: { a: "secret-literal" } },
    { onState: (state) => states.push(state) },
  );
  const rows = await Array.fromAsync(rowsOf(result));
  const failure = await query(client, { sql: "select 'secret-literal', 4711 from trucks" }).catch(({ kind }) => kind);
  return { rows, states, failure, queryRunId: result.queryRunId };
}

async function recorded() {
  const real = service();
  const recorder = createRecorder(real.fetch);
  const wasSeen = await seen({ ...real, fetch: recorder.fetch });
  saveRecording(path, recorder.recording());
  return wasSeen;
}

describe("a recording", () => {
  it("is replayed to a client that sends equal calls", async () => {
    const wasSeen = await recorded();
    expect(wasSeen).toMatchObject({ rows: [{ name: "fiat 128", year: 1971 }], failure: "failed" });
    const mock = createMockServer({ replay: recordingFrom(path) });
    expect(await seen(mock)).toEqual(wasSeen);
    expect(mock.history.unexpected()).toEqual([]);
  });

  it("contains no key and no literal", async () => {
    await recorded();
    const text = readFileSync(path, "utf8");
    // Whole numbers: random keys of calls have all kinds of digits in them.
    expect(text).not.toMatch(/secret|\b(?:4711|1970)\b/);
    expect(text).toContain(`select name, year from cars where owner = 'redacted' and year > 0 and n = 'redacted'`);
    expect(text).toContain("fiat 128");
    expect(text.split("\n").length).toBeGreaterThan(4);
  });

  it("contains only calls with an answer", async () => {
    const real = service();
    const recorder = createRecorder(real.fetch);
    const { send } = callerOf({ ...real, fetch: recorder.fetch });
    real.fault("listQueryRuns", { body: "<html>" });
    expect(await (await send("listQueryRuns", {})).text()).toBe("<html>");
    expect(recorder.recording().calls).toEqual([]);
    await send("getQueryRun", { queryRunId: "none" });
    expect(recorder.recording().calls).toMatchObject([
      { method: "getQueryRun", params: { queryRunId: "none" }, error: { code: -32099 } },
    ]);
  });

  it("contains no values that an error quotes", async () => {
    const recorder = createRecorder(service().fetch);
    const { send } = callerOf({ ...service(), fetch: recorder.fetch, apiKey: "the-secret-key" });
    await send("createQueryRun", { sql: "select 1", waitSeconds: "secret-number" });
    await send("createQueryRun", { sql: "select 1", idempotencyKey: "secret-key" });
    await send("createQueryRun", { sql: "select 2", idempotencyKey: "secret-key" });
    const [bad, , mismatch] = recorder.recording().calls;
    expect(JSON.stringify([bad, mismatch])).not.toContain("secret");
    expect(bad?.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("waitSeconds: expected an integer"),
    });
  });

  it("contains no signed links", async () => {
    const recorder = createRecorder(async () =>
      Response.json({ jsonrpc: "2.0", id: 1, result: { url: "https://a.test/b?signature=secret" } }),
    );
    const body = '{"jsonrpc":"2.0","id":1,"method":"getQueryRunDownload","params":[{"queryRunId":"a"}]}';
    await recorder.fetch("https://a.test/json-rpc", { method: "POST", body });
    expect(recorder.recording().calls).toEqual([
      { method: "getQueryRunDownload", params: { queryRunId: "a" }, result: { url: "https://redacted.invalid/" } },
    ]);
  });
});

describe("a replaying mock", () => {
  it("answers equal calls with the recorded answers in order, and then with the last", async () => {
    const real = service();
    const recorder = createRecorder(real.fetch);
    const caller = callerOf({ ...real, fetch: recorder.fetch });
    const queryRunId = await caller.create("select name from cars");
    for (let polls = 0; polls < 3; polls++) await caller.poll(queryRunId);
    const mock = createMockServer({ replay: recorder.recording() });
    const { poll } = callerOf(mock);
    const states: string[] = [];
    for (let polls = 0; polls < 4; polls++) states.push(await poll(queryRunId));
    expect(states).toEqual(["RUNNING", "STREAMING_RESULTS", "SUCCESS", "SUCCESS"]);
    mock.reset();
    expect(await poll(queryRunId)).toBe("RUNNING");
  });

  it("repeats the idempotency key of the current call", async () => {
    const real = service();
    const recorder = createRecorder(real.fetch);
    await callerOf({ ...real, fetch: recorder.fetch }).create("select 1", { idempotencyKey: "first" });
    const { call } = callerOf(createMockServer({ replay: recorder.recording() }));
    const { queryRequest } = await call("createQueryRun", { idempotencyKey: "second", sql: "select 2" });
    expect(queryRequest.idempotencyKey).toBe("second");
  });

  it("refuses a call that was not recorded, and lists the recorded ones", async () => {
    await recorded();
    const mock = createMockServer({ replay: recordingFrom(path) });
    const { failure } = callerOf(mock);
    const message = `getQueryRun({"queryRunId":"run_9"}) was not recorded; the recording has these calls of the method:\n  getQueryRun({"queryRunId":"run_1"`;
    expect(await failure("getQueryRun", { queryRunId: "run_9" })).toMatchObject({
      code: -32603,
      message: expect.stringContaining(message),
    });
    expect(await failure("listQueryRuns", {})).toMatchObject({
      message: "listQueryRuns({}) was not recorded; the recording has no call of the method",
    });
    expect(mock.history.unexpected().length).toBe(2);
  });
});

describe("a recording is refused", () => {
  const call = { method: "listQueryRuns", params: {}, result: { queryRuns: [], nextCursor: null } };
  it.each<[unknown, RegExp]>([
    [null, /an object with an array `calls`/],
    [{ calls: [null] }, /^recording: unknown method at \/calls\/0\/method/],
    [{ calls: [call, { ...call, method: "constructor" }] }, /at \/calls\/1\/method: "constructor"/],
    [
      { calls: [{ ...call, params: { limit: "all" } }] },
      /^recording: invalid \/calls\/0\/params\/limit: expected .*; make the recording again/,
    ],
    [{ calls: [{ ...call, result: {} }] }, /^recording: invalid \/calls\/0\/result.*queryRuns/],
  ])("%j", (recording, message) => {
    const file = join(folder, "bad.json");
    writeFileSync(file, JSON.stringify(recording));
    expect(() => recordingFrom(file)).toThrow(message);
  });
});
