import { createLedger, createMockServer, type MockServer } from "@quern/mock-server";
import type { Ledger } from "../../src/index.ts";

export const sql = "select 'fiat 128' as name, 4 as cylinders";
export type Call = (method: string, params: object) => Promise<{ readonly queryRun: { readonly id: string } }>;

/** Records the calls of a consumer on a mock whose statement has one row. */
export async function used(
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

export async function read(call: Call): Promise<void> {
  const { queryRun } = await call("createQueryRun", { sql, idempotencyKey: "once" });
  await call("getQueryRun", { queryRunId: queryRun.id });
  await call("getQueryRunResults", { queryRunId: queryRun.id, page: { number: 1, size: 10 } });
}
