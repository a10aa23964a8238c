import { intercepted } from "@quern/json-rpc/handler";
import { createLedger, createMockServer, type MockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { describe, expect, it } from "vitest";
import { formatVerification, type Ledger, type Verification, verify } from "../../src/index.ts";

/** Selects columns named like members of the document, and like inherited properties. */
const sql = "select id, state, format, code, query_run_id, to_string from settings";
const rowOf = (text: string, code: number) => ({
  id: `${text} id`,
  state: `${text} state`,
  format: `${text} format`,
  code,
  queryRunId: `${text} run`,
  toString: `${text} text`,
});

type Call = { readonly method: string; readonly params: object };
type Answer = Readonly<Record<string, unknown>>;

interface Provider extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /** Calls as they arrived over HTTP. */
  readonly sent: readonly Call[];
}

/** Starts a service with other values, whose results `breakIt` may change. */
async function provider(
  breakIt: (result: Answer) => unknown = (result) => result,
  script: (mock: MockServer) => void = () => {},
): Promise<Provider> {
  const apiKey = "any key";
  const mock = createMockServer({ apiKey });
  mock.when(sql).rows([rowOf("service", 7), rowOf("other", 8)]);
  mock.when("mock id").rows([{ n: 1 }]);
  script(mock);
  const sent: Call[] = [];
  const handler = intercepted(mock.handler, async ({ body }, next) => {
    const { method, params } = JSON.parse(Buffer.from(body).toString());
    if (params.length > 0) sent.push({ method, params: params[0] });
    const reply = await next(body);
    const value = JSON.parse((reply.body ?? []).map((piece) => Buffer.from(piece).toString()).join("") || "{}");
    if (value.result === undefined) return reply;
    return { ...reply, body: [Buffer.from(JSON.stringify({ ...value, result: breakIt(value.result) }))] };
  });
  const server = await listen({ ...mock, handler });
  return { url: server.url, apiKey, sent, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Makes the calls of a consumer. Later statements and filters use values of the rows. */
async function consumer(url: string, apiKey: string): Promise<void> {
  async function call(method: string, params: object): Promise<{ readonly queryRun: { readonly id: string } }> {
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    return (await (await fetch(`${url}/json-rpc`, { method: "POST", headers, body })).json()).result;
  }
  const { queryRun } = await call("createQueryRun", { sql });
  const queryRunId = queryRun.id;
  await call("getQueryRun", { queryRunId });
  await call("getQueryRunResults", { queryRunId, format: "csv" });
  await call("getQueryRunResults", { queryRunId, format: "json" });
  await call("getQueryRunResults", { queryRunId, filters: [{ column: "id", in: ["mock id", "service id"] }] });
  await call("createQueryRun", { sql: "mock id", tags: { id: "mock id", queryRunId: "mock run" } });
}

/** Records the consumer over HTTP, and returns the ledger as parsed JSON. */
async function recorded(): Promise<Ledger> {
  const ledger = createLedger();
  const mock = createMockServer({ ledger });
  mock.when(sql).rows([rowOf("mock", 1)]);
  mock.when("mock id").rows([{ n: 1 }]);
  await using server = await listen(mock);
  await consumer(server.url, mock.apiKey);
  return JSON.parse(JSON.stringify(ledger.ledger()));
}

async function verified(on: Provider): Promise<Verification> {
  return verify({ ledger: await recorded(), url: on.url, apiKey: on.apiKey });
}

const inRows = (result: Answer, change: (row: Answer) => object) =>
  result.format === "json" && Array.isArray(result.rows) ? { ...result, rows: result.rows.map(change) } : result;
const without = (name: string) => (result: Answer) => inRows(result, ({ [name]: _, ...row }) => row);
const withCell = (name: string, value: unknown) => (result: Answer) =>
  inRows(result, (row) => ({ ...row, [name]: value }));
const page = (members: object) => (result: Answer) => ("rows" in result ? { ...result, ...members } : result);

const breaks: readonly (readonly [name: string, breakIt: (result: Answer) => unknown, found: string])[] = [
  ["loses the column id", without("id"), "/rows/0/id: expected the string"],
  ["gives the column state as a number", withCell("state", 3), "/rows/0/state: expected the string"],
  [
    "gives the column format as null",
    withCell("format", null),
    '/rows/0/format: expected the string "mock format", got null',
  ],
  ["gives the column code as a text", withCell("code", "7"), '/rows/0/code: expected the number 1, got the string "7"'],
  ["loses the column queryRunId", without("queryrunid"), "/rows/0/queryrunid: expected the string"],
  ["gives the column toString as an object", withCell("tostring", {}), "/rows/0/tostring: expected the string"],
  ["loses the column toString", without("tostring"), '"mock text", got no member'],
  ["renames a column", page({ columnNames: ["id", "status"] }), "/result/columnNames: expected"],
  ["changes the format of the page", page({ format: "arrow" }), '/result/format: expected "csv", got "arrow"'],
  [
    "lets its runs fail",
    (result) => JSON.parse(JSON.stringify(result).replaceAll("QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED")),
    '/state: expected "QUERY_STATE_SUCCESS", got "QUERY_STATE_FAILED"',
  ],
];

describe("rows with columns named like members of the document", () => {
  it("may have other values, and the wire has statements, filters and tags as recorded", async () => {
    await using service = await provider();
    await consumer(service.url, service.apiKey); // So that the runs of the service have other names than those of the mock.
    const earlier = service.sent.length;
    const verification = await verified(service);
    expect(verification.isVerified, formatVerification(verification)).toBe(true);
    const [session] = (await recorded()).sessions;
    const calls = session !== undefined && "calls" in session ? session.calls : (session ?? []);
    const isPoll = ({ method }: { readonly method: string }) => method === "getQueryRun" || method === "cancelQueryRun";
    const polled = service.sent.slice(earlier).find(isPoll)?.params as { readonly queryRunId: string };
    expect(polled.queryRunId).not.toBe("run_1");
    const kept = calls.filter((call) => !isPoll(call)).map(({ method, params }) => ({ method, params }));
    expect(kept).toHaveLength(5);
    const renamed = JSON.parse(JSON.stringify(kept).replaceAll('"run_1"', JSON.stringify(polled.queryRunId)));
    expect(service.sent.slice(earlier).filter((call) => !isPoll(call))).toEqual(renamed);
  });

  it.each(breaks)("show a service that %s", async (_, breakIt, found) => {
    await using service = await provider(breakIt);
    const verification = await verified(service);
    expect(verification.isVerified).toBe(false);
    expect(formatVerification(verification)).toContain(found);
  });
});
