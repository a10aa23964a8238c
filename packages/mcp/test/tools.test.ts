import { createMockServer } from "@quern/mock-server";
import { expect, it } from "vitest";
import { agentOf, type Rows } from "./agent.ts";

const auto = { clock: { auto: true } } as const;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

it("lists all tools in at most 8 kB, with texts, hints and schemas", async () => {
  const { client } = await agentOf(createMockServer());
  const { tools } = await client.listTools();
  expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(8_000);
  for (const { annotations } of tools) expect(Object.values(annotations ?? {})).toHaveLength(3);
  expect(JSON.stringify(tools, undefined, 1)).toMatchSnapshot();
});

it("lists no tool whose methods the caller may not call, and none that the operator disallows", async () => {
  const names = async (caller: Parameters<typeof agentOf>[1]) =>
    (await (await agentOf(createMockServer(), caller)).client.listTools()).tools.map(({ name }) => name);
  const reading = await names({ mayCall: ({ repeatable }) => repeatable === "reads" });
  expect(reading).toEqual(["read_rows", "describe_query", "export_result", "list_tables"]);
  expect(await names({ tools: ["query", "read_rows"] })).toEqual(["query", "read_rows"]);
  const { client } = await agentOf(createMockServer(), { tools: ["query"] });
  await expect(client.callTool({ name: "export_result", arguments: {} })).rejects.toMatchObject({ code: -32602 });
});

it("walks through all rows by nextOffset, with one run", async () => {
  const mock = createMockServer(auto);
  mock.when("select").rows(numbers(2_345));
  const { output } = await agentOf(mock);
  const seen: unknown[] = [];
  let page = await output("query", { sql: "select", limit: 1_000 });
  for (;;) {
    seen.push(...page.rows.flat());
    expect(page).toMatchObject({ totalRows: 2_345, state: "success", truncatedBy: page.nextOffset && "limit" });
    if (page.nextOffset === null) break;
    page = await output("read_rows", { runId: page.runId, offset: page.nextOffset, limit: 333 });
  }
  expect(seen).toEqual(numbers(2_345).map(({ n }) => n));
  expect(mock.history.callsOf("createQueryRun")).toHaveLength(1);
});

it("is not truncated if the result has exactly as many rows as the limit, and has none beyond the end", async () => {
  const mock = createMockServer(auto);
  mock.when("select").rows(numbers(100));
  const { output } = await agentOf(mock);
  const whole = await output("query", { sql: "select" });
  expect(whole).toMatchObject({ totalRows: 100, nextOffset: null, truncatedBy: null });
  expect(whole.rows).toHaveLength(100);
  const beyond = await output("read_rows", { runId: whole.runId, offset: 100 });
  expect(beyond).toMatchObject({ rows: [], totalRows: 100, nextOffset: null, truncatedBy: null, offset: 100 });
});

it("keeps big integers exact in text and structured content, and refuses arguments that lost digits", async () => {
  const mock = createMockServer(auto);
  mock.when("select").rows([{ n: 2n ** 53n + 1n, list: [2n ** 63n] }]);
  const { output, failure } = await agentOf(mock);
  const { rows } = await output("query", { sql: "select" });
  expect(rows).toEqual([["9007199254740993", ["9223372036854775808"]]]);
  const text = await failure("query", { sql: "select", parameters: [1, 2 ** 53] });
  expect(text).toMatch(/^InvalidArguments: parameters\.1: an integer beyond 2\^53 - 1/);
  expect(mock.history.callsOf("createQueryRun")).toHaveLength(1);
});

it("cuts rows and cells visibly at 40,000 characters, and offsets continue after whole rows", async () => {
  const mock = createMockServer(auto);
  mock.when("select").rows(numbers(50).map(({ n }) => ({ n, text: "x".repeat(n === 7 ? 100_000 : 3_000) })));
  const { output, call } = await agentOf(mock);
  const first = await output("query", { sql: "select" });
  expect(first).toMatchObject({ truncatedBy: "bytes", totalRows: 50, cutCells: 1, nextOffset: first.rows.length });
  expect(first.rows[7]?.[1]).toMatch(/^x{4000}… \[cut; 100000 characters in all\]$/);
  const seen = [...first.rows];
  for (let page = first; page.nextOffset !== null; seen.push(...page.rows)) {
    const { text, structuredContent } = await call("read_rows", { runId: first.runId, offset: page.nextOffset });
    expect(text.length).toBeLessThanOrEqual(40_000);
    page = structuredContent as unknown as Rows;
  }
  expect(seen.map(([n]) => n)).toEqual(numbers(50).map(({ n }) => n));
});

it("shortens the cells of a row that is larger than a reply, and reports a row with too many", async () => {
  const mock = createMockServer(auto);
  const wide = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, "x".repeat(4_000)]));
  mock.when("wide").rows([wide(300), wide(300)]);
  mock.when("widest").rows([wide(5_000)]);
  const { output, call, failure } = await agentOf(mock);
  const { rows, cutCells, truncatedBy } = await output("query", { sql: "wide" });
  expect([rows.length, cutCells, truncatedBy]).toEqual([1, 300, "bytes"]);
  expect((await call("query", { sql: "wide" })).text.length).toBeLessThanOrEqual(40_000);
  expect(await failure("query", { sql: "widest" })).toMatch(/^TooManyColumns: The result has 5000 columns/);
});

it("filters, sorts and waits on the stored result", async () => {
  const mock = createMockServer(auto);
  mock.when("select").rows(numbers(10));
  const { output } = await agentOf(mock);
  const { runId, reused } = await output("query", { sql: "select" });
  expect(reused).toBe(false);
  const args = {
    filters: [{ column: "n", gte: 4 }],
    sortBy: [{ column: "n", direction: "desc" }],
    limit: 2,
    offset: 1,
  };
  expect(await output("read_rows", { runId, ...args })).toMatchObject({
    rows: [[8], [7]],
    totalRows: 6,
    nextOffset: 3,
  });
  expect(await output("query", { sql: "select", maxAgeMinutes: 60 })).toMatchObject({ runId, reused: true });
});

it("names a failed statement with its position and candidates, and each wrong argument", async () => {
  const mock = createMockServer(auto);
  mock.when("bad").fails({
    errorName: "BinderError",
    errorMessage: "no column nam",
    errorData: { category: "USER", line: 2, column: 8, candidates: ["name", "year"] },
  });
  const { failure } = await agentOf(mock);
  const text = await failure("query", { sql: "bad" });
  expect(text).toMatch(
    /^BinderError: no column nam \(line 2, column 8\)\ncandidates: name, year\n(Hint: .*\n)?runId: \S+$/,
  );
  expect(await failure("query", { sqll: "select", limit: 5_000 })).toBe(
    "InvalidArguments: sql: expected a string, received nothing\nunknown argument sqll; did you mean sql?\nlimit: expected at most 1000, received 5000",
  );
  expect(await failure("query", { sql: " " })).toMatch(/^InvalidParams: sql: expected a SQL statement/);
  expect(await failure("read_rows", { runId: "missing" })).toMatch(/^QueryRunNotFound: /);
  expect(await failure("query", { sql: "x", parameters: { a: [1] } })).toMatch(
    /^InvalidParams: parameters\.a: expected/,
  );
});

it("reports no reply of the service, and a service that refuses the key", async () => {
  const mock = createMockServer(auto);
  mock.fault("*", { connection: "reset" });
  expect(await (await agentOf(mock)).failure("list_tables")).toMatch(/^ServiceUnreachable: no answer/);
});

it("continues after the wait, and reports progress that increases", async () => {
  const mock = createMockServer();
  mock.when("slow").rows(numbers(3)).after("30s");
  const { output, call } = await agentOf(mock);
  const running = await output("query", { sql: "slow", waitSeconds: 0 });
  expect(running).toMatchObject({ rows: [], totalRows: null, truncatedBy: null });
  expect(["queued", "running"]).toContain(running.state);
  const seen: number[] = [];
  const read = call(
    "read_rows",
    { runId: running.runId },
    { onprogress: ({ progress }: { progress: number }) => seen.push(progress) },
  );
  for (let polls = 1; polls <= 6; polls++) {
    await expect.poll(() => mock.history.callsOf("getQueryRun").length).toBe(polls);
    await mock.clock.advance("5s");
  }
  expect((await read).structuredContent).toMatchObject({ state: "success", totalRows: 3 });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
});

it("withdraws the request of an aborted call, and leaves a run that another one shares", async () => {
  const mock = createMockServer();
  mock.when("slow").rows(numbers(3)).after("30s");
  const { call, output } = await agentOf(mock);
  const controller = new AbortController();
  const first = call("query", { sql: "slow" }, { signal: controller.signal });
  await expect.poll(() => mock.history.callsOf("createQueryRun").length).toBe(1);
  const other = await output("query", { sql: "slow", maxAgeMinutes: 5, waitSeconds: 0 });
  expect(other.reused).toBe(true);
  controller.abort();
  await expect(first).rejects.toThrow();
  await expect.poll(() => mock.history.callsOf("cancelQueryRun").length).toBe(1);
  expect(await output("read_rows", { runId: other.runId, waitSeconds: 0 })).toMatchObject({ totalRows: null });
  const own = new AbortController();
  const alone = call("query", { sql: "slow -- alone" }, { signal: own.signal });
  await expect.poll(() => mock.history.callsOf("createQueryRun").length).toBe(3);
  own.abort();
  await expect(alone).rejects.toThrow();
  await expect.poll(() => mock.history.callsOf("cancelQueryRun").length).toBe(2);
});

it("cancels, describes, lists and exports by the other tools", async () => {
  const mock = createMockServer();
  mock.when("slow").rows(numbers(3)).after("30s");
  const { output } = await agentOf(mock);
  const { runId } = await output("query", { sql: "slow", waitSeconds: 0 });
  expect(await output("cancel_query", { runId })).toEqual({ runId, state: "QUERY_STATE_CANCELED" });
  const { tables } = await output<{ tables: readonly object[] }>("list_tables");
  expect(tables[0]).toHaveProperty("columns.0.engineType");
  expect(JSON.stringify(tables)).not.toContain("dataProvider");
  expect(await output("describe_query", { sql: "select 1" })).toHaveProperty("columns");
  const ended = createMockServer(auto);
  ended.when("fast").rows(numbers(3));
  const other = await agentOf(ended);
  const fast = await other.output("query", { sql: "fast" });
  const { content, structuredContent } = await other.call("export_result", { runId: fast.runId, format: "csv" });
  expect(content[1]).toMatchObject({ type: "resource_link", uri: Object(structuredContent).url });
});
