import { createMockServer, type MockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { describe, expect, it } from "vitest";
import { formatVerification, LedgerError, verify } from "../../src/index.ts";
import { read, sql, used } from "./consumer.ts";

const apiKey = "any key";

describe("a ledger without calls", () => {
  it.each([[[]], [[[]]], [[{ test: "reads", calls: [] }]]])("is an error: %j", async (sessions) => {
    const empty = verify({ ledger: { sessions }, url: "http://127.0.0.1:1", apiKey });
    await expect(empty).rejects.toThrow(LedgerError);
    await expect(empty).rejects.toThrow(
      "the ledger has no calls; run the consumer's tests with a mock that records them",
    );
  });
});

describe("a service that is too slow", () => {
  const rows = (mock: MockServer) => mock.when(sql).rows([{ name: "a", cylinders: 1 }]);
  const slowly = async (script: (mock: MockServer) => void) => {
    const ledger = await used(read);
    const mock = createMockServer({ apiKey });
    script(mock);
    await using server = await listen(mock);
    return await verify({ ledger, url: server.url, apiKey, timeoutMs: 300 });
  };

  it("is inconclusive if an answer does not come in time", async () => {
    const verification = await slowly((mock) => {
      rows(mock);
      mock.fault("getQueryRunResults", { connection: "hang" });
    });
    expect(verification).toMatchObject({ isVerified: true, isConclusive: false });
    expect(verification.sessions[0]?.calls.map(({ outcome }) => outcome)).toEqual(["passed", "passed", "inconclusive"]);
    expect(formatVerification(verification)).toContain("inconclusive: no complete response within 300 ms");
    expect(formatVerification(verification)).toMatch(/^2 of 3 calls in 1 sessions pass on http.*, 1 inconclusive$/m);
  });

  it("is inconclusive if a run does not end, and later calls of the session are not sent", async () => {
    const verification = await slowly((mock) => rows(mock).after("1h"));
    expect(verification).toMatchObject({ isVerified: true, isConclusive: false });
    const [session] = verification.sessions;
    expect(session?.calls.map(({ outcome }) => outcome)).toEqual(["passed", "inconclusive", "inconclusive"]);
    expect(session?.calls[1]?.problems).toEqual([expect.stringMatching(/^the run ".*" has not ended within 300 ms$/)]);
    expect(session?.calls[2]?.problems).toEqual(["not sent, because call 2 is inconclusive"]);
  });

  it("fails if it answers polls with an error", async () => {
    const verification = await slowly((mock) => {
      rows(mock);
      const error = { code: -32099, message: "no such run", data: { queryRunId: "a" } };
      mock.fault("getQueryRun", { error, times: "ever" });
    });
    expect(verification).toMatchObject({ isVerified: false, isConclusive: true });
    expect(verification.sessions[0]?.calls[2]?.problems).toEqual([
      expect.stringMatching(/^getQueryRun: expected the run ".*", got the error -32099$/),
    ]);
  });

  it("fails if another session differs", async () => {
    const ledger = await used(read);
    const mock = createMockServer({ apiKey });
    rows(mock);
    mock.fault("createQueryRun", { connection: "hang" });
    await using server = await listen(mock);
    const broken = [{ method: "getQueryRun", params: { queryRunId: "none" }, result: {} }];
    const sessions = [...ledger.sessions, broken];
    const verification = await verify({ ledger: { sessions }, url: server.url, apiKey, timeoutMs: 300 });
    expect(verification).toMatchObject({ isVerified: false, isConclusive: false });
    expect(verification.sessions.map(({ calls }) => calls.map(({ outcome }) => outcome))).toEqual([
      ["inconclusive", "inconclusive", "inconclusive"],
      ["failed"],
    ]);
  });
});
