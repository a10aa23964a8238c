import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

it("lists runs, the newest first, page by page", async () => {
  const { call, create } = callerOf(createMockServer());
  const ids = [];
  for (let at = 0; at < 5; at++) ids.unshift(await create(`select ${at}`));
  const listed: string[] = [];
  const sizes: number[] = [];
  let cursor: string | null | undefined;
  do {
    const { queryRuns, nextCursor } = await call("listQueryRuns", { limit: 3, cursor });
    // Runs that are created between two pages do not shift the pages.
    await create("select more");
    listed.push(...queryRuns.map(({ id }: { id: string }) => id));
    sizes.push(queryRuns.length);
    cursor = nextCursor;
  } while (cursor);
  expect([listed, sizes]).toEqual([ids, [3, 2]]);
});

it("narrows by state, tags and time", async () => {
  const mock = createMockServer();
  mock.when("select bad").fails({ errorMessage: "no" });
  const { call, create, poll } = callerOf(mock);
  const bad = await create("select bad", { tags: { env: "test", source: "a" } });
  await poll(bad);
  mock.clock.advance("1m");
  const since = new Date(mock.clock.now()).toISOString();
  const late = await create("select 2", { tags: { env: "test" } });
  const listed = async (params: object) =>
    (await call("listQueryRuns", params)).queryRuns.map(({ id }: { id: string }) => id);
  expect(await listed({ states: ["QUERY_STATE_FAILED"] })).toEqual([bad]);
  expect(await listed({ tags: { source: "a" } })).toEqual([bad]);
  expect(await listed({ tags: { env: "test" } })).toEqual([late, bad]);
  expect(await listed({ since })).toEqual([late]);
});

it("narrows by all conditions together, and by each of several states and tags", async () => {
  const mock = createMockServer();
  mock.when("select bad").fails({ errorMessage: "no" });
  mock.when("select slow").after("30s");
  const { call, create, poll } = callerOf(mock);
  const bad = await create("select bad", { tags: { env: "test", team: "a" } });
  const slow = await create("select slow", { tags: { env: "test", team: "b" } });
  const good = await create("select 1", { tags: { env: "live" } });
  for (const id of [bad, slow, good]) await poll(id);
  const listed = async (params: object) =>
    (await call("listQueryRuns", params)).queryRuns.map(({ id }: { id: string }) => id);
  expect(await listed({})).toEqual([good, slow, bad]);
  expect(await listed({ states: ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED"] })).toEqual([good, bad]);
  expect(await listed({ states: [] })).toEqual([]);
  expect(await listed({ tags: { env: "test", team: "b" } })).toEqual([slow]);
  expect(await listed({ tags: { env: "live", team: "b" } })).toEqual([]);
  expect(await listed({ tags: {} })).toEqual([good, slow, bad]);
  expect(await listed({ states: ["QUERY_STATE_FAILED"], tags: { team: "b" } })).toEqual([]);
  mock.clock.advance(1);
  const since = new Date(mock.clock.now()).toISOString();
  expect(await listed({ since })).toEqual([]);
  expect(await listed({ since, states: ["QUERY_STATE_FAILED"] })).toEqual([]);
  mock.clock.advance("30s");
  expect(await listed({ states: ["QUERY_STATE_SUCCESS"] })).toEqual([good, slow]);
});

it("narrows by the latest time and by a text in the SQL", async () => {
  const mock = createMockServer();
  const { call, create } = callerOf(mock);
  const early = await create("select 'Größe' as A_b");
  mock.clock.advance("1m");
  const until = new Date(mock.clock.now()).toISOString();
  const late = await create("select 2");
  const listed = async (params: object) =>
    (await call("listQueryRuns", params)).queryRuns.map(({ id }: { id: string }) => id);
  expect(await listed({ until })).toEqual([early]);
  expect(await listed({ since: until, text: "SELECT" })).toEqual([late]);
  expect(await listed({ text: "GRÖSSE' AS a_B" })).toEqual([early]);
  expect(await listed({ text: "select _" })).toEqual([]);
});

it("has pages of the runs that it narrows to", async () => {
  const { call, create } = callerOf(createMockServer());
  const ids: string[] = [];
  for (const env of ["a", "b", "a", "b", "a"]) ids.push(await create("select 1", { tags: { env } }));
  const listed: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await call("listQueryRuns", { limit: 1, tags: { env: "a" }, cursor });
    listed.push(page.queryRuns.map(({ id }: { id: string }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(listed).toEqual([[ids[4]], [ids[2]], [ids[0]]]);
});

it("lists no run on an empty mock", async () => {
  expect(await callerOf(createMockServer()).call("listQueryRuns", {})).toEqual({ queryRuns: [], nextCursor: null });
});

const valid = btoa("runs-before-1");
const malformed = [`${valid}====`, `    ${valid}`, `${valid}    `, valid.replaceAll("=", ""), "a===", "aaaaa", "=aaa"];
const odd = ["x", "1.5"].map((index) => btoa(`runs-before-${index}`));

it.each(["no cursor", "aaaa", "____", "bm9wZQ==", ...malformed, ...odd])("refuses %j as a cursor", async (cursor) => {
  const expected = "the nextCursor of an earlier call";
  const issue = { pointer: "/params/0/cursor", expected, received: JSON.stringify(cursor) };
  const error = await callerOf(createMockServer()).failure("listQueryRuns", { cursor });
  expect(error).toMatchObject({ code: -32602, data: { issues: [issue] } });
});

it("lists a run whose end is due as one that has ended", async () => {
  const mock = createMockServer();
  mock.when("select slow").after("30s");
  const { call, create } = callerOf(mock);
  const id = await create("select slow");
  mock.clock.advance("30s");
  expect((await call("listQueryRuns", {})).queryRuns).toMatchObject([{ id, state: "QUERY_STATE_SUCCESS" }]);
});

it("has no further page after one with the last run", async () => {
  const { call, create } = callerOf(createMockServer());
  for (let at = 0; at < 2; at++) await create(`select ${at}`);
  expect((await call("listQueryRuns", { limit: 2 })).nextCursor).toBeNull();
  expect((await call("listQueryRuns", { limit: 1 })).nextCursor).toEqual(expect.any(String));
});

it("has 50 runs on a page by default", async () => {
  const { call, create } = callerOf(createMockServer());
  for (let at = 0; at < 51; at++) await create(`select ${at}`);
  expect((await call("listQueryRuns", {})).queryRuns).toHaveLength(50);
});
