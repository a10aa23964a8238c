import { expect, it } from "vitest";
import type { AdversaryCase } from "../../src/client/case.ts";
import { exampleReply, exampleRows } from "../../src/client/example-answers.ts";
import { type CaseRunner, invalidOutput, resultEnding, runCaseWith } from "../../src/client/run-case.ts";

const poll = { method: "getQueryRun", params: { queryRunId: "a" } };
const one: AdversaryCase = { name: "one", calls: [poll], faults: [{}], endings: ["right"] };

const post = async (url: string, path = "/json-rpc", method = poll.method): Promise<void> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [poll.params] });
  await (await fetch(url + path, { method: "POST", body, headers: { connection: "close" } })).text();
};
/** Sends a call to each path, and reports the endings. */
const reporting =
  (endings: readonly string[], paths: readonly (string | undefined)[] = [undefined]): CaseRunner =>
  async (_, { url }) => {
    for (const path of paths) await post(url, path);
    return endings;
  };

it.each<[string, string, string | undefined, "must" | "should"]>([
  ["right", "right", undefined, "should"],
  ["rpc", "rpc -5", undefined, "must"],
  ["rpc -5", "rpc -55", "expected the error rpc -5, got the error rpc -55", "should"],
  ["right or timeout", "timeout", undefined, "should"],
  ["right or timeout", "network", "expected the right result or the error timeout, got the error network", "should"],
  ["timeout", "right", "expected the error timeout, got a result", "must"],
  ["right", "wrong: 7", "expected the right result, got the wrong result 7", "must"],
  ["right", "never", "expected the right result, but the call did not end", "must"],
  ["right", `${invalidOutput} x`, `expected the right result, got ${invalidOutput} x`, "must"],
  ["timeout", "network", "expected the error timeout, got the error network", "should"],
])("a call that should end with %s and ends with %s has the problem: %s", async (expected, found, problem, level) => {
  const endings = [expected];
  expect(await runCaseWith({ ...one, endings }, reporting([found]))).toEqual({
    name: "one",
    level,
    outcome: problem === undefined ? "passed" : "failed",
    problems: problem === undefined ? [] : [problem],
    sent: ["getQueryRun"],
  });
});

it("an error in place of a result has the level of the case", async () => {
  const must = await runCaseWith({ ...one, level: "must" }, reporting(["network"]));
  expect([must.level, must.outcome]).toEqual(["must", "failed"]);
});

it("a call without an ending has not ended", async () => {
  const { problems } = await runCaseWith(
    { ...one, calls: [poll, poll], endings: ["right", "right"] },
    reporting(["right"]),
  );
  expect(problems).toEqual(["expected the right result, but the call did not end"]);
});

it("the runner gets the address, the key, the deadline and the signal, which a fault aborts if the case says so", async () => {
  const seen: unknown[] = [];
  const runner: CaseRunner = async (given, { url, apiKey, timeoutMs }, signal) => {
    seen.push(given, apiKey, timeoutMs, signal.aborted);
    await post(url);
    seen.push(signal.aborted);
    return ["right"];
  };
  const given = { ...one, timeoutMs: 60, abort: true };
  await runCaseWith(given, runner);
  await runCaseWith(one, runner);
  expect(seen).toEqual([given, "adversary", 60, false, true, one, "adversary", 10_000, false, false]);
});

it("a client that sends its key to another path, or repeats a create, has a problem that it must not have", async () => {
  const elsewhere = await runCaseWith(one, reporting(["right"], [undefined, "/elsewhere"]));
  expect(elsewhere).toMatchObject({
    level: "must",
    sent: ["getQueryRun", "getQueryRun to /elsewhere"],
    problems: ["request sent to /elsewhere, expected /json-rpc only"],
  });
  const twice: CaseRunner = async (_, { url }) => {
    for (const method of ["createQueryRun", "createQueryRun", "getQueryRun", "getQueryRun"])
      await post(url, undefined, method);
    return ["right"];
  };
  const sends = (maxSends: Readonly<Record<string, number>>) => runCaseWith({ ...one, maxSends }, twice);
  expect(await sends({ createQueryRun: 1 })).toMatchObject({
    level: "must",
    problems: ["createQueryRun: sent 2 times, expected at most 1"],
  });
  expect(await sends({ getQueryRun: 1 })).toMatchObject({ level: "should", outcome: "failed" });
  expect(await sends({ createQueryRun: 2, getQueryRun: 2 })).toMatchObject({ outcome: "passed" });
});

it("a fault that no request matches is not reached, and the endings do not count if none was", async () => {
  const none = { ...one, faults: [{ batch: true }] };
  expect(await runCaseWith(none, reporting(["network"]))).toEqual({
    name: "one",
    level: "should",
    outcome: "not-reached",
    problems: [],
    sent: ["getQueryRun"],
  });
  const some = { ...one, faults: [{}, { batch: true }] };
  expect(await runCaseWith(some, reporting(["right"]))).toMatchObject({ outcome: "not-reached", problems: [] });
  expect(await runCaseWith(some, reporting(["network"]))).toMatchObject({ outcome: "failed" });
  const unreadable = `${invalidOutput} x`;
  expect(await runCaseWith(none, reporting([unreadable]))).toMatchObject({
    outcome: "failed",
    level: "must",
    problems: [unreadable],
    sent: ["getQueryRun"],
  });
});

it("a client that sends nothing fails, with its output; without a server it passes", async () => {
  const silent = reporting([`${invalidOutput} x`, "right"], []);
  expect(await runCaseWith(one, silent)).toEqual({
    name: "one",
    level: "must",
    outcome: "failed",
    sent: [],
    problems: ["the client sent no request", `${invalidOutput} x`],
  });
  const absent: AdversaryCase = { ...one, service: "absent", faults: [], endings: ["network"] };
  const refused: CaseRunner = async (_, { url }) => [
    await post(url).then(
      () => "right",
      () => "network",
    ),
  ];
  expect(await runCaseWith(absent, refused)).toMatchObject({ outcome: "passed", sent: [] });
});

it("a result is right if it has the rows of the query, or the answer to the call", () => {
  const right = exampleReply({ id: 1, ...poll }, false).result;
  expect(resultEnding(right, one, poll)).toBe("right");
  expect(resultEnding({}, one, poll)).toBe("wrong: {}");
  expect(resultEnding(exampleRows, one, undefined)).toBe("right");
  expect(resultEnding(undefined, one, undefined)).toBe("wrong: nothing");
  const create = { method: "createQueryRun", params: { sql: "a" } };
  const basic = { queryRequest: { queryRunId: "run of a" } };
  expect([resultEnding(basic, { ...one, service: "basic" }, create), resultEnding(basic, one, create)]).toEqual([
    "right",
    expect.stringMatching(/^wrong: /),
  ]);
});
