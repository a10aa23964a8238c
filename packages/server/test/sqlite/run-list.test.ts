import type { DatabaseSync } from "node:sqlite";
import type { RunQuery } from "@quern/adapter";
import type { QueryRun } from "@quern/protocol/types";
import type { RunRecord, RunState } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allRuns } from "../../../adapter/src/contract/store/context.ts";
import { openDatabase } from "../../src/sqlite/database.ts";
import { prepareReads } from "../../src/sqlite/reads.ts";
import { listStatement, type SqlStatement } from "../../src/sqlite/run-list.ts";
import { runsOf } from "./listed-runs.ts";
import { insertManyRuns } from "./many-runs.ts";

/** More runs than a list counts of one condition. */
const count = 6_000;
const since = Date.UTC(2026, 0, 1);
const states: readonly RunState[] = ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"];
const stateOf = (index: number): RunState => states[index % 97 === 0 ? 1 : 0] ?? "QUERY_STATE_SUCCESS";
const tagsOf = (index: number) => ({
  env: "production",
  panel: `panel ${index % 50}`,
  half: index % 2 === 0 ? "even" : "odd",
  ...(index === 70 && { 'odd.key"': "x" }),
  ...(index === 71 && { empty: null }),
});

let database: DatabaseSync;
let all: readonly Listed[];
beforeAll(() => {
  database = openDatabase(":memory:");
  insertManyRuns(database, { count, tenantId: "t", userId: "ann", since, stateOf, tagsOf });
  insertManyRuns(database, { count: 100, tenantId: "t", userId: "bob", since: since + 500, tagsOf });
  insertManyRuns(database, { count: 100, tenantId: "other", userId: "ann", since, tagsOf });
  all = list({ tenantId: "t", limit: 10_000 });
});
afterAll(() => database.close());

const query: RunQuery = { ...allRuns, tenantId: "t", limit: 51 };

type Listed = Omit<QueryRun, "createdAt"> & { readonly createdAt: number };

function list(change: Partial<RunQuery>): readonly Listed[] {
  const page = prepareReads(database).list({ ...query, ...change }, since, {});
  return runsOf(page).map((run) => ({ ...run, createdAt: Date.parse(run.createdAt) }));
}

/** Selects runs as a list must, by reading all of them. */
function expected({ userId, tags, limit, sources, after, ...conditions }: RunQuery): readonly string[] {
  return all
    .filter(
      (run) =>
        (userId === undefined || run.userId === userId) &&
        (sources === null || sources.includes(run.dataSourceId)) &&
        (conditions.states === undefined || conditions.states.includes(run.state)) &&
        Object.entries(tags).every(([key, value]) => run.tags[key] === value) &&
        (conditions.since === undefined || run.createdAt >= conditions.since) &&
        (conditions.until === undefined || run.createdAt < conditions.until) &&
        (after === undefined ||
          run.createdAt < after.createdAt ||
          (run.createdAt === after.createdAt && run.id < after.id)),
    )
    .slice(0, limit)
    .map(({ id }) => id);
}

const choices: { readonly [Name in keyof RunQuery]?: readonly RunQuery[Name][] } = {
  userId: [undefined, "ann", "bob", "eve"],
  tags: [
    {},
    { env: "production" },
    { panel: "panel 7" },
    { env: "production", half: "even", panel: "panel 8" },
    { half: "even", panel: "panel 7" },
    { 'odd.key"': "x" },
    { panel: "no" },
  ],
  states: [undefined, [], ["QUERY_STATE_FAILED"], ["QUERY_STATE_CANCELED"], [...states]],
  sources: [null, ["test"], ["another"]],
  since: [undefined, since + 1_000_000],
  until: [undefined, since + 2_000_000],
  after: [undefined, { createdAt: since + 3_000_000, id: "run_5" }],
};

const combinations = Object.entries(choices).reduce<readonly RunQuery[]>(
  (made, [name, values]) => made.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
  [query],
);

/**
 * Every eleventh combination of the choices. No number of choices is a multiple of eleven, so each choice is combined
 * with each choice of every other condition.
 */
const queries = combinations.filter((_, index) => index % 11 === 0);

it("has each pair of choices", () => {
  const pairsOf = (list: readonly RunQuery[]) =>
    new Set(
      list.flatMap((each) => {
        const texts = Object.keys(choices).map((name) => JSON.stringify([name, each[name as keyof RunQuery]]));
        return texts.flatMap((one) => texts.map((other) => one + other));
      }),
    );
  expect(pairsOf(queries)).toEqual(pairsOf(combinations));
});

it("lists the newest runs that meet each combination of conditions", () => {
  expect(all.map(({ createdAt, id }) => [createdAt, id])).toEqual(
    all.map(({ createdAt, id }) => [createdAt, id] as const).toSorted((a, b) => b[0] - a[0] || (a[1] < b[1] ? 1 : -1)),
  );
  const wrong = queries.filter(
    (each) =>
      list(each)
        .map(({ id }) => id)
        .join() !== expected(each).join(),
  );
  expect(wrong).toEqual([]);
});

/** Returns the steps of a statement's plan that read a whole table. */
function scans({ text, values }: SqlStatement): readonly string[] {
  return database
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(...values)
    .map(({ detail }) => String(detail))
    .filter((step) => /^SCAN (runs|run_tags|requested_runs|requests)/.test(step) || step.includes("AUTOMATIC"));
}

it("searches by an index, and sorts only few runs", () => {
  const faults = queries.flatMap((each) => {
    let fewest = Number.POSITIVE_INFINITY;
    const counting: SqlStatement[] = [];
    const statement = listStatement(each, (counted) => {
      counting.push(counted);
      const { n } = database.prepare(counted.text).get(...counted.values) ?? {};
      fewest = Math.min(fewest, Number(n));
      return Number(n);
    });
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement.text}`).all(...statement.values);
    const sorts = plan.some(({ detail }) => String(detail).includes("ORDER BY"));
    const found = [statement, ...counting].flatMap(scans);
    return sorts && fewest >= 2_000 ? [...found, `sorts ${fewest}`] : found;
  });
  expect(faults).toEqual([]);
});

it("does not read the parameters of a listed run, which may be large", () => {
  const { text, values } = listStatement(query, () => 0);
  expect(JSON.parse(String(database.prepare(text).get(...values)?.record))).not.toHaveProperty("parameters");
});

const tagsOfRun = (id: string) =>
  database.prepare("SELECT key, value FROM run_tags WHERE run_id = ? ORDER BY key").all(id);

it("keeps the tags of a run that changes or is removed", () => {
  const [run] = list({ tags: { 'odd.key"': "x" } });
  const id = run?.id ?? "";
  expect(tagsOfRun(id)).toHaveLength(4);
  const change = (tags: object) =>
    database
      .prepare("UPDATE runs SET record = json_set(record, '$.tags', json(?)) WHERE id = ?")
      .run(JSON.stringify(tags), id);
  database.exec("BEGIN");
  change({ env: "test", none: null });
  expect(tagsOfRun(id)).toEqual([{ key: "env", value: "test" }]);
  database.prepare("DELETE FROM runs WHERE id = ?").run(id);
  expect(tagsOfRun(id)).toEqual([]);
  database.exec("ROLLBACK");
});

it("writes the runs as a single run is written, and returns the position of the last one if others follow", () => {
  const now = since + 1_000_000_000;
  const records = database.prepare("SELECT record FROM runs WHERE user_id = 'bob' ORDER BY created_at DESC").all();
  const runs = records.map(({ record }) => JSON.parse(String(record)) as RunRecord); // the record of a run
  const page = (limit: number) =>
    prepareReads(database).list({ ...query, userId: "bob", limit }, now, { ofOthers: "The disk is full." });
  const text = JSON.stringify(runs.map((run) => toQueryRun(run, now, { ofOthers: "The disk is full." })));
  expect(new TextDecoder().decode(page(100).json)).toBe(text);
  expect(page(100).next).toBeNull();
  const { createdAt, id } = runs[98] ?? expect.unreachable();
  expect(page(99).next).toEqual({ createdAt, id });
  expect(runsOf(page(99))).toHaveLength(99);
});
