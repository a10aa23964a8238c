import { getEventListeners } from "node:events";
import {
  EngineLostError,
  type EngineResult,
  type Execution,
  type Source,
  type SourceKind,
  StatementError,
} from "@quern/adapter";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { guardKind } from "../../src/sources/guarded-kind.ts";
import { idleKind } from "../fixture.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const source: Source = { name: "lake", provider: "test", kind: "test", path: null, lowerCaseColumns: false };
const never = new Promise<never>(() => {});
const lost = () => Promise.reject(new EngineLostError("connect ECONNREFUSED 10.1.2.3"));
const statement = { source } as Parameters<SourceKind["begin"]>[0];
const query = { source } as Parameters<SourceKind["describe"]>[0];
const unavailable = {
  failure: { name: "DataSourceUnavailable", data: { category: "DATA_SOURCE", retryable: true } },
};

function guarded(change: Partial<SourceKind>, execution: Partial<Execution> = {}) {
  const logged: string[] = [];
  const log = { error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`) };
  const reports = { known: () => {}, connectionFailed: () => {}, available: () => {} };
  const begun = { engineQueryId: "query 1", progress: () => 0.5, result: () => never, release: async () => {} };
  const begin = async () => ({ ...begun, ...execution });
  return { logged, guard: guardKind({ ...idleKind, begin, ...change }, { log, reports, now: () => 0 }) };
}

it("gives a call 30 seconds to answer, and names the source that does not", async () => {
  const { guard } = guarded({ cancel: () => never });
  const failure = expect(guard.cancel(source, "query 1")).rejects.toMatchObject({
    name: "EngineLostError",
    message: "lake did not answer within 30 seconds",
  });
  await vi.advanceTimersByTimeAsync(29_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await failure;
});

it("releases data and executions that arrive after their call was given up", async () => {
  const [data, execution] = [Promise.withResolvers<never>(), Promise.withResolvers<never>()];
  const { guard } = guarded({ hold: () => data.promise, begin: () => execution.promise });
  const calls = [guard.hold(source), guard.begin(statement, new AbortController().signal)];
  const failures = calls.map((call) => expect(call).rejects.toMatchObject(unavailable));
  await vi.advanceTimersByTimeAsync(30_000);
  await Promise.all(failures);
  const release = vi.fn(() => Promise.reject(new Error("the failure is of no interest")));
  for (const { resolve } of [data, execution]) resolve({ release } as never);
  await vi.advanceTimersByTimeAsync(0);
  expect(release).toHaveBeenCalledTimes(2);
});

it.each([true, false])(
  "gives a call up five seconds after its signal is aborted (before the call: %s)",
  async (before) => {
    const controller = new AbortController();
    const execution = Promise.withResolvers<never>();
    const { guard } = guarded({ describe: () => never, begin: () => execution.promise });
    if (before) controller.abort("gone");
    const calls = [guard.describe(query, controller.signal), guard.begin(statement, controller.signal)];
    let ended = 0;
    for (const call of calls) call.catch(() => (ended += 1));
    const failures = calls.map((call) => expect(call).rejects.toBe("gone"));
    if (!before) controller.abort("gone");
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ended).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(failures);
    const release = vi.fn(async () => {});
    execution.resolve({ release } as never);
    await vi.advanceTimersByTimeAsync(0);
    expect(release).toHaveBeenCalledOnce();
  },
);

it("leaves neither a timer nor a listener after an answer", async () => {
  const { guard } = guarded({ describe: async () => ({ columns: [], parameters: [] }) });
  const { signal } = new AbortController();
  expect(await guard.describe(query, signal)).toEqual({ columns: [], parameters: [] });
  const { engineQueryId, progress, release } = await guard.begin(statement, signal);
  await release();
  expect([engineQueryId, progress()]).toEqual(["query 1", 0.5]);
  expect([vi.getTimerCount(), getEventListeners(signal, "abort")]).toEqual([0, []]);
});

it("logs a query that cannot be released, and one whose release does not end", async () => {
  const { signal } = new AbortController();
  const failing = guarded({}, { release: () => Promise.reject(new Error("broken")) });
  await (await failing.guard.begin(statement, signal)).release();
  const text = "a query on the data source lake could not be released";
  expect(failing.logged).toEqual([`${text}: Error: broken`]);
  const hanging = guarded({}, { release: () => never });
  const released = (await hanging.guard.begin(statement, signal)).release();
  await vi.advanceTimersByTimeAsync(30_000);
  await released;
  expect(hanging.logged).toEqual([`${text}: EngineLostError: lake did not answer within 30 seconds`]);
});

it("passes the parts of an encoded result on, and reports an engine that is lost within one", async () => {
  async function* part() {
    yield Buffer.from("a");
    await lost();
  }
  async function* parts() {
    yield part();
  }
  const result = { form: "encoded", columns: [], parts: parts() } as unknown as EngineResult;
  const { guard } = guarded({}, { result: async () => result });
  const read = await (await guard.begin(statement, new AbortController().signal)).result();
  if (read.form !== "encoded") throw new Error(`unexpected form: ${read.form}`);
  const seen: string[] = [];
  const reading = (async () => {
    for await (const each of read.parts) for await (const chunk of each) seen.push(String(chunk));
  })();
  await expect(reading).rejects.toThrow("the connection to the data source lake was lost");
  expect(seen).toEqual(["a"]);
});

it("takes a revision that cannot be read for unknown, and logs an error that is not of the statement", async () => {
  const revision = vi.fn<SourceKind["revision"]>();
  const { guard, logged } = guarded({ revision });
  revision.mockResolvedValueOnce("7");
  expect(await guard.revision(source)).toBe("7");
  revision.mockRejectedValueOnce(new Error("broken"));
  expect(await guard.revision(source)).toBe("unknown");
  expect(logged.splice(0)).toEqual(["the revision of lake could not be read: Error: broken"]);
  revision.mockRejectedValueOnce(new StatementError({ name: "X", message: "", data: { category: "USER" } }));
  expect(await guard.revision(source)).toBe("unknown");
  expect(logged).toEqual([]);
});

it("calls a source whose circuit breaker is open no more, for data as for a revision", async () => {
  const revision = vi.fn<SourceKind["revision"]>(lost);
  const hold = vi.fn<SourceKind["hold"]>(idleKind.hold);
  const { guard } = guarded({ revision, hold });
  for (let count = 0; count < 6; count += 1) expect(await guard.revision(source)).toBe("unknown");
  expect(revision).toHaveBeenCalledTimes(5);
  await expect(guard.hold(source)).rejects.toMatchObject(unavailable);
  expect(hold).not.toHaveBeenCalled();
});

it("lists tables and completes statements where the adapter can, and closes it", async () => {
  const { signal } = new AbortController();
  const plain = guarded({}).guard;
  expect([plain.tables, plain.complete]).toEqual([undefined, undefined]);
  const [tables, complete] = [vi.fn(async () => []), vi.fn(async () => [])];
  const close = vi.fn(async () => {});
  const { guard } = guarded({ tables, complete, close });
  expect(await guard.tables?.(query, signal)).toEqual([]);
  expect(await guard.complete?.(query, 7, signal)).toEqual([]);
  expect([tables.mock.calls, complete.mock.calls]).toEqual([[[query, signal]], [[query, 7, signal]]]);
  await guard.close();
  expect(close).toHaveBeenCalledOnce();
  const away = guarded({ tables: lost, complete: lost }).guard;
  await expect(away.tables?.(query, signal)).rejects.toMatchObject(unavailable);
  await expect(away.complete?.(query, 7, signal)).rejects.toMatchObject(unavailable);
});
