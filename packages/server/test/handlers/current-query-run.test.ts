import type { SourceKind } from "@quern/adapter";
import type { ListQueryRunsResult } from "@quern/protocol/types";
import { expect, it } from "vitest";
import { createGate, createTestClient, eventually, idleKind, startServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

/** Engine whose statements wait for the end of the test, and report the share that their text is. */
function reportingKind(): SourceKind {
  const gate = createGate();
  return {
    ...idleKind,
    begin: async ({ sql }, signal) => ({
      engineQueryId: null,
      progress: () => (sql === "null" ? null : Number(sql)),
      result: async () => {
        await gate.pass(signal);
        throw new Error("no result");
      },
      release: async () => {},
    }),
  };
}

it("shows how much of an executing run is done, if the engine reports it", async () => {
  await using server = await startServer({ kind: reportingKind(), limits: { maxRunningRuns: 3 } });
  const shares = [];
  for (const sql of ["0.25", "null", "1.5"]) {
    const { queryRun } = await server.create({ sql });
    await eventually(async () => (await server.get(queryRun.id)).state === "QUERY_STATE_RUNNING");
    await eventually(async () => sql === "null" || (await server.get(queryRun.id)).progress !== undefined);
    const { progress, queuePosition } = await server.get(queryRun.id);
    shares.push([progress, queuePosition]);
  }
  expect(shares).toEqual([
    [0.25, undefined],
    [undefined, undefined],
    [1, undefined],
  ]);
});

it("shows the position of a waiting run among those of its tenant, which users share in turn", async () => {
  await using server = await startServer({ kind: reportingKind(), limits: { maxRunningRuns: 1 } });
  const client = async (tenant: string, user: string) =>
    createTestClient(server.url, (await caller(server, { tenant, user })).key);
  const [ann, ben, other] = [await client("one", "ann"), await client("one", "ben"), await client("two", "cleo")];
  const create = async ({ create }: typeof ann, sql: string) => (await create({ sql })).queryRun;
  const running = await create(ann, "0.1");
  await eventually(async () => (await ann.get(running.id)).state === "QUERY_STATE_RUNNING");
  await create(other, "0.2");
  const first = await create(ann, "0.3");
  const second = await create(ann, "0.4");
  const ofBen = await create(ben, "0.5");
  expect([first, second, ofBen].map(({ queuePosition }) => queuePosition)).toEqual([1, 2, 1]);
  const now = [await ann.get(first.id), await ann.get(second.id), await ben.get(ofBen.id)];
  expect(now.map(({ queuePosition }) => queuePosition)).toEqual([2, 3, 1]);
  const { queryRuns } = await ann.call<ListQueryRunsResult>("listQueryRuns", {});
  expect(queryRuns).toHaveLength(3);
  for (const run of queryRuns) expect(Object.keys(run)).not.toContain("queuePosition");
});
