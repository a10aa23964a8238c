import type { ListQueryRunsParams, ListQueryRunsResult } from "@quern/protocol/types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { createTestClock, startServer, type TestServer } from "../fixture.ts";

const clock = createTestClock();
let server: TestServer;
let ids: string[];
beforeAll(async () => {
  server = await startServer({ clock, kind: await oneProcessKind() });
  ids = [];
  for (const [index, sql] of ["select 1", "select nope", "select 3", "select 4"].entries()) {
    const tags: Record<string, string> = index % 2 === 0 ? { team: "a", 'odd.key"': "x" } : { team: "b" };
    ids.unshift((await server.run(sql, { tags })).id);
    // The last two have the same time.
    if (index < 2) clock.advance(1_000);
  }
});
afterAll(() => server[Symbol.asyncDispose]());

async function list(params: ListQueryRunsParams): Promise<string[]> {
  const { queryRuns } = await server.call<ListQueryRunsResult>("listQueryRuns", params);
  return queryRuns.map(({ id }) => id);
}

it("lists the newest first", async () => {
  const listed = await list({});
  expect(listed.slice(2)).toEqual(ids.slice(2));
  expect(listed.toSorted()).toEqual(ids.toSorted());
});

it("narrows by state, tags and time", async () => {
  expect(await list({ states: ["QUERY_STATE_FAILED"] })).toEqual([ids[2]]);
  expect(await list({ states: [] })).toEqual([]);
  expect((await list({ tags: { team: "b" } })).toSorted()).toEqual([ids[0] ?? "", ids[2] ?? ""].toSorted());
  expect(await list({ tags: { team: "a", 'odd.key"': "x" }, states: ["QUERY_STATE_SUCCESS"] })).toHaveLength(2);
  expect(await list({ tags: { team: "c" } })).toEqual([]);
  expect((await list({ since: "2026-11-20T09:30:01.500Z" })).toSorted()).toEqual(ids.slice(0, 2).toSorted());
});

it("narrows by the latest time and by a text in the SQL", async () => {
  expect((await list({ until: "2026-11-20T09:30:01.500Z" })).toSorted()).toEqual(ids.slice(2).toSorted());
  expect(await list({ since: "2026-11-20T09:30:01.500Z", until: "2026-11-20T09:30:01.500Z" })).toEqual([]);
  expect(await list({ text: "T 3" })).toEqual([ids[1]]);
  expect(await list({ text: "SELECT", states: ["QUERY_STATE_FAILED"] })).toEqual([ids[2]]);
  expect(await list({ text: "select%" })).toEqual([]);
  expect(await list({ text: "x".repeat(200) })).toEqual([]);
  for (const text of ["", "x".repeat(201)]) await expect(list({ text })).rejects.toMatchObject({ code: -32602 });
});

it("takes as many states and labels as a call may carry", async () => {
  const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, "value"]));
  const states = (count: number) => Array<string>(count).fill("QUERY_STATE_FAILED");
  expect(await list({ states: states(16) })).toEqual([ids[2]]);
  expect(await list({ tags: labels(32) })).toEqual([]);
  await expect(list({ states: states(17) })).rejects.toMatchObject({ code: -32602 });
  await expect(list({ tags: labels(33) })).rejects.toMatchObject({ code: -32602 });
});

it("continues after the last page", async () => {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page: ListQueryRunsResult = await server.call("listQueryRuns", cursor ? { limit: 1, cursor } : { limit: 1 });
    expect(page.queryRuns).toHaveLength(1);
    seen.push(...page.queryRuns.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(await list({}));
  await expect(list({ cursor: "nonsense" })).rejects.toMatchObject({ code: -32602 });
});
