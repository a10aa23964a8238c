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

const odd = ["x", "1.5"].map((index) => btoa(`runs-before-${index}`));

it.each(["no cursor", "aaaa", "____", "bm9wZQ==", ...odd])("refuses %j as a cursor", async (cursor) => {
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
