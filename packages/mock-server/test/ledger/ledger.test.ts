import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { saveLedger } from "../../src/files.ts";
import { createLedger, createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

it("records the calls of each key in order, with the first row and without keys", async () => {
  const ledger = createLedger();
  const mock = createMockServer({ ledger, apiKey: "a secret" });
  const { call, failure } = callerOf(mock);
  const { queryRun } = await call("createQueryRun", { sql: "select 1" });
  for (let poll = 0; poll < 3; poll += 1) await call("getQueryRun", { queryRunId: queryRun.id });
  await call("getQueryRunResults", { queryRunId: queryRun.id });
  await failure("getQueryRun", { queryRunId: "none" });
  const sessions = ledger.ledger().sessions.map((session) => ("calls" in session ? session.calls : session));
  expect(sessions.map((calls) => calls.map(({ method }) => method))).toEqual([
    ["createQueryRun", "getQueryRun", "getQueryRunResults", "getQueryRun"],
  ]);
  expect(sessions[0]?.[1]).toMatchObject({ result: { queryRun: { state: "QUERY_STATE_SUCCESS" } } });
  expect(sessions[0]?.[2]).toMatchObject({ result: { columnNames: ["origin", "cars"], rows: [["USA", 254]] } });
  expect(sessions[0]?.[3]).toEqual({ method: "getQueryRun", params: { queryRunId: "none" }, error: { code: -32099 } });
  expect(JSON.stringify(sessions)).not.toContain("a secret");
});

it("records the answers without faults and contract violations", async () => {
  const ledger = createLedger();
  const mock = createMockServer({ ledger });
  mock.fault("getQueryRun", { error: { code: -32029, message: "slow down", data: { retryAfterMs: 1 } } });
  const { call, failure } = callerOf(mock);
  const { queryRun } = await call("createQueryRun", { sql: "select 1" });
  expect(await failure("getQueryRun", { queryRunId: queryRun.id })).toMatchObject({ code: -32029 });
  expect(JSON.stringify(ledger.ledger())).not.toContain("-32029");
});

it("names the consumer of all sessions, and the test and provider states of one", async () => {
  const ledger = createLedger({ consumer: "garage" });
  const mock = createMockServer({ ledger });
  const providerStates = [{ name: "there are cars", params: { count: 2 } }];
  ledger.name(mock.apiKey, { test: "lists its cars", providerStates });
  await callerOf(mock).call("listQueryRuns", {});
  await callerOf(mock.namespace()).call("listQueryRuns", {});
  const calls = [expect.objectContaining({ method: "listQueryRuns" })];
  expect(ledger.ledger().sessions).toEqual([
    { consumer: "garage", test: "lists its cars", providerStates, calls },
    { consumer: "garage", calls },
  ]);
  const path = join(mkdtempSync(join(tmpdir(), "quern-ledger-")), "ledger.json");
  for (let times = 0; times < 2; times += 1) saveLedger(path, ledger.ledger());
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(ledger.ledger());
});

it("has equal sessions of several keys once, also in a file that is written several times", async () => {
  const ledger = createLedger();
  const mock = createMockServer({ ledger });
  for (const sql of ["select 1", "select 1", "select 2"])
    await callerOf(mock.namespace()).call("createQueryRun", { sql });
  expect(ledger.ledger().sessions).toHaveLength(2);
  const path = join(mkdtempSync(join(tmpdir(), "quern-ledger-")), "ledger.json");
  saveLedger(path, ledger.ledger());
  saveLedger(path, ledger.ledger());
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(ledger.ledger());
});

it("is complete if several processes write one file, also after one that was killed while it wrote", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "quern-ledger-")), "ledger.json");
  mkdirSync(`${path}.lock`);
  utimesSync(`${path}.lock`, 0, 0);
  const writer = `
    const { parentPort, workerData: { files, path, name, start } } = require("node:worker_threads");
    import(files).then(({ saveLedger }) => {
      parentPort.postMessage("ready");
      Atomics.wait(new Int32Array(start), 0, 0);
      for (let n = 0; n < 20; n++) saveLedger(path, { sessions: [[{ method: "listQueryRuns", params: { of: name + n } }]] });
    });`;
  const files = new URL("../../dist/files.js", import.meta.url).href;
  // All begin at the same moment, so that several of them find the abandoned lock.
  const start = new SharedArrayBuffer(4);
  const workerData = { files, path, start };
  const writers = ["a", "b", "c"].map(
    (name) => new Worker(writer, { eval: true, workerData: { ...workerData, name } }),
  );
  const exits = writers.map((worker) => once(worker, "exit"));
  await Promise.all(writers.map((worker) => once(worker, "message")));
  Atomics.store(new Int32Array(start), 0, 1);
  Atomics.notify(new Int32Array(start), 0);
  await Promise.all(exits);
  expect(JSON.parse(readFileSync(path, "utf8")).sessions.length).toBe(60);
  expect(existsSync(`${path}.lock`)).toBe(false);
});
