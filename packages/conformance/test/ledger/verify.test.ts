import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLedger, createMockServer, type MockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { createServer } from "@quern/server";
import { describe, expect, it } from "vitest";
import { formatVerification, type Ledger, verify } from "../../src/index.ts";

const sql = "select 'fiat 128' as name, 4 as cylinders";
const apiKey = "any key";
type Call = (method: string, params: object) => Promise<{ readonly queryRun: { readonly id: string } }>;

/** What a consumer uses of a mock whose statement has these rows. */
async function used(
  consumer: (call: Call) => Promise<unknown>,
  script: (mock: MockServer) => void = () => {},
): Promise<Ledger> {
  const ledger = createLedger();
  const mock = createMockServer({ ledger });
  mock.when(sql).rows([{ name: "ford pinto", cylinders: 4 }]);
  script(mock);
  const headers = { "content-type": "application/json", "x-api-key": mock.apiKey };
  await consumer(async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    const reply = await (await mock.fetch(`${mock.url}/json-rpc`, { method: "POST", headers, body })).json();
    return reply.result;
  });
  return ledger.ledger();
}

async function read(call: Call): Promise<void> {
  const { queryRun } = await call("createQueryRun", { sql, idempotencyKey: "once" });
  await call("getQueryRun", { queryRunId: queryRun.id });
  await call("getQueryRunResults", { queryRunId: queryRun.id, page: { number: 1, size: 10 } });
}

/** Verifies a ledger on another mock, which stands for the real service. */
async function against(ledger: unknown, script: (mock: MockServer) => void): Promise<string> {
  const mock = createMockServer({ apiKey });
  script(mock);
  await using door = await listen(mock);
  return formatVerification(await verify({ ledger, url: door.url, apiKey }));
}

describe("a ledger", () => {
  it("is kept by the service, as often as it is asked", async () => {
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
      expect(verification.isKept, formatVerification(verification)).toBe(true);
      expect(verification.sessions.flat()).toHaveLength(8);
    }
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  it("waits for runs that had ended when the consumer looked", async () => {
    const rows = (mock: MockServer) => mock.when(sql).rows([{ name: "a", cylinders: 1 }]);
    expect(await against(await used(read), (mock) => rows(mock).afterPolls(3))).toMatch(
      /^3 of 3 calls of 1 sessions are kept/,
    );
  });

  it("is broken by other columns, and says which", async () => {
    const text = await against(await used(read), (mock) => mock.when(sql).rows([{ name: "a", gears: 1 }]));
    expect(text).toContain('/result/columnNames is ["name","gears"], and the consumer relies on ["name","cylinders"]');
    expect(text).toContain("2 of 3 calls");
  });

  it("asks for less where members are taken out of it", async () => {
    const taken = ["columnNames", "columnTypes", "rows"];
    const text = JSON.stringify(await used(read), (name, value) => (taken.includes(name) ? undefined : value));
    const others = (mock: MockServer) => mock.when(sql).rows([{ gears: "five", wheels: "four" }]);
    expect(await against(JSON.parse(text), others)).toMatch(/^3 of 3 calls of 1 sessions are kept/);
  });

  it("does not ask for the value of a member, nor for one that was null", async () => {
    const ledger = await used(read, (mock) => mock.when(sql).rows([{ name: null, cylinders: 4 }]));
    const others = (mock: MockServer) => mock.when(sql).rows([{ name: "fiat 128", cylinders: 6 }]);
    const text = JSON.stringify(ledger, (name, value) => (name === "columnTypes" ? undefined : value));
    expect(await against(JSON.parse(text), others)).toMatch(/^3 of 3 calls/);
  });

  it("is broken by another type, another end and another code", async () => {
    const ledger = await used(read);
    const types = await against(ledger, (mock) => mock.when(sql).rows([{ name: 7, cylinders: 4 }]));
    expect(types).toContain('/result/rows/0/0 is 7, and the consumer was given "ford pinto"');
    const failed = await against(ledger, (mock) => mock.when(sql).fails({ errorMessage: "no such column" }));
    expect(failed).toContain('/result/queryRun/state is "QUERY_STATE_FAILED"');
    expect(failed).toContain("no such column");
    expect(failed).toContain("it is answered with the error -32151, and the consumer was with a result");
  });

  it("is an object of sessions", async () => {
    const nowhere = { url: "http://127.0.0.1:1", apiKey };
    await expect(verify({ ...nowhere, ledger: [] })).rejects.toThrow("a ledger is an object");
    await expect(verify({ ...nowhere, ledger: { sessions: [] } })).rejects.toThrow("no server answers");
  });
});
