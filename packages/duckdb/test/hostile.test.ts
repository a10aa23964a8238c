import { expect, it } from "vitest";
import { startServer } from "../../server/test/fixture.ts";
import { caller } from "../../server/test/identity/callers.ts";
import { createBattlefield, expectOutcome } from "./hostile/attack.ts";
import { hostileStatements } from "./hostile/statements.ts";

const quick = hostileStatements.filter((statement) => statement.quick === true);

/** Longer than any of them takes on a loaded machine: each ends by itself or by another limit. */
const timeoutSeconds = 110;

it("fails hostile statements, which read and write nothing outside and leave the runs of others alone", async () => {
  await using battlefield = await createBattlefield("gated", timeoutSeconds);
  expect(quick.length).toBeGreaterThanOrEqual(12);
  const runs = await battlefield.attack(...quick);
  for (const [index, statement] of quick.entries()) expectOutcome("gated", statement, runs[index]);
});

it("contains them without its gate, also those that abort their process and one that fills the disk", async () => {
  await using battlefield = await createBattlefield("ungated", timeoutSeconds);
  const bombs = quick.filter(({ without }) => without === "WorkerLost" || without === "LimitExceeded");
  expect(bombs).toHaveLength(3);
  const runs = await battlefield.attack(...bombs);
  for (const [index, statement] of bombs.entries()) expectOutcome("ungated", statement, runs[index]);
});

it("never shares a run between two users of a source that runs as the user, and does otherwise", async () => {
  const provider = "quern";
  const sources = [
    { name: "shared", provider },
    { name: "own", provider, runAs: "user" as const },
  ];
  await using server = await startServer({ sources });
  const [ann, ben] = [await caller(server, { user: "ann" }), await caller(server, { user: "ben" })];
  const triggered = async (user: typeof ann, dataSource: string) => {
    const params = { sql: "select random() as r", dataSource, maxAgeMinutes: 60 };
    const { result } = await user.call("createQueryRun", params);
    return (result?.queryRequest as { triggeredQueryRun: boolean } | undefined)?.triggeredQueryRun;
  };
  expect([await triggered(ann, "own"), await triggered(ben, "own"), await triggered(ann, "own")]).toEqual([
    true,
    true,
    false,
  ]);
  expect([await triggered(ann, "shared"), await triggered(ben, "shared")]).toEqual([true, false]);
});
