import type { RunQuery } from "@quern/adapter";
import { expect, it } from "vitest";
import { allRuns } from "../../../adapter/src/contract/store/context.ts";
import type { Queries, Row } from "../../src/store/database.ts";
import { listRuns } from "../../src/store/run-list.ts";

const all: RunQuery = { ...allRuns, tenantId: "acme", limit: 2 };

/** Lists no runs, and returns the statements with their values. The sets that are counted have these sizes. */
async function statementsOf(query: Partial<RunQuery>, sizes: readonly number[] = []) {
  const statements: (readonly [text: string, values: unknown])[] = [];
  const rowsOnce = async (text: string, values: unknown): Promise<readonly Row[]> => {
    statements.push([text, values]);
    return text.includes("count(*)") ? [Object.fromEntries(sizes.map((size, index) => [`n${index}`, size]))] : [];
  };
  await listRuns({ rowsOnce } as unknown as Queries, { ...all, ...query }, 0, {});
  return statements;
}

it.each([
  ["all runs of the tenant", {}, /FROM runs WHERE runs\.tenant_id = \$1 ORDER/, ["acme"]],
  [
    "the runs that a user requested",
    { userId: "ann" },
    /FROM requested_runs WHERE requested_runs\.tenant_id = \$1 AND requested_runs\.user_id = \$2 ORDER/,
    ["acme", "ann"],
  ],
] as const)("lists %s in one statement", async (_, query, text, values) => {
  expect(await statementsOf(query)).toEqual([[expect.stringMatching(text), values]]);
});

it.each([
  [[1, 2], /^WITH found AS NOT MATERIALIZED .*FROM requested_runs .*runs\.state = ANY\(\$3::text\[\]\)/s],
  [[2, 1], /^WITH found AS MATERIALIZED .*runs\.state = ANY.*EXISTS \(SELECT 1 FROM requested_runs/s],
])("searches the smallest of sets with the sizes %j, and tests the runs for the other", async (sizes, text) => {
  const statements = await statementsOf({ userId: "ann", states: ["QUERY_STATE_READY"] }, sizes);
  expect(statements.map(([each]) => each)).toEqual([expect.stringContaining("count(*)"), expect.stringMatching(text)]);
});
