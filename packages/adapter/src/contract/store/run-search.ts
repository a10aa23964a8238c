import assert from "node:assert/strict";
import { createRun } from "@quern/query-run/record";
import type { RunPosition, RunQuery } from "../../store/run-store.ts";
import type { ContractCase } from "../contract-case.ts";
import { allRuns, type StoreContext, submitAt, t0 } from "./context.ts";
import { submission } from "./submission.ts";

/** Lists the ids of the runs on all pages. */
async function idsOf({ store }: StoreContext, query: Partial<RunQuery>): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: RunPosition | null | undefined;
  do {
    const { json, next } = await store.runs.list({ ...allRuns, ...query, after: after ?? undefined }, t0, {});
    const page: readonly { readonly id: string }[] = JSON.parse(new TextDecoder().decode(json));
    ids.push(...page.map(({ id }) => id));
    after = next;
  } while (after !== null);
  return ids;
}

/** Cases about the search of a text in the statements of runs. */
export const searchCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "finds runs by a text in their statement, in upper or lower case",
    async run(context) {
      const texts = ["select 100% as a_b", "SELECT 'Größe ΟΔΟΣ'\nfrom cars", "select 1000 as axb -- \u0001\\"];
      const ids: string[] = [];
      for (const [n, sql] of texts.entries()) {
        const statement = { id: `st_${n}`, sql, statementHash: `hash_${n}` };
        for (const userId of ["ann", "bob"]) {
          const each = submission({ userId, sqlStatementId: statement.id }, { statement });
          ids.push((await submitAt(context, each, t0 + ids.length)).run.id);
        }
      }
      const other = { statement: { id: "st_other", sql: "select 100%", statementHash: "other" } };
      await submitAt(context, submission({ tenantId: "other", sqlStatementId: "st_other" }, other), t0 + 9);
      const [a, b, c, d, e, f] = ids;
      assert.deepEqual(await idsOf(context, { text: "SELECT", limit: 4 }), [f, e, d, c, b, a]);
      assert.deepEqual(await idsOf(context, { text: "select 100%" }), [b, a]);
      assert.deepEqual(await idsOf(context, { text: "A_B" }), [b, a]);
      assert.deepEqual(await idsOf(context, { text: "GRÖSSE οδος'\nFROM" }), [d, c]);
      assert.deepEqual(await idsOf(context, { text: "\u0001\\" }), [f, e]);
      assert.deepEqual(await idsOf(context, { text: "nfrom" }), []);
      assert.deepEqual(await idsOf(context, { text: "select", userId: "bob", limit: 1 }), [f, d, b]);
      assert.deepEqual(await idsOf(context, { text: "select", since: t0 + 1, until: t0 + 4 }), [d, c, b]);
      assert.deepEqual(await idsOf(context, { text: "select", states: ["QUERY_STATE_FAILED"] }), []);
    },
  },
  {
    name: "searches thousands of runs page by page, each once",
    async run(context) {
      const { records } = context.store;
      const kinds = ["select rare", "select 1", "select 2", "select common"];
      const statements = kinds.map((sql, n) => ({ id: `st_${n}`, sql, statementHash: `${n}`, tenantId: "tenant" }));
      await records.statements.write(statements);
      // One call searches 5,000 runs at most.
      const runs = Array.from({ length: 5_500 }, (_, n) => {
        const kind = n % 997 === 3 ? 0 : 1 + (n % 3);
        const id = `run_${String((n * 7_919) % 5_500).padStart(4, "0")}`;
        const given = submission({ id, sqlStatementId: `st_${kind}`, reuseKey: id }).run;
        // Several runs have the same time.
        return { kind, run: createRun(given, t0 + Math.floor(n / 3)) };
      });
      await records.runs.write(runs.map(({ run }) => ({ run, maxRunningRuns: null, isShareable: false })));
      const newest = runs.toSorted((x, y) => y.run.createdAt - x.run.createdAt || (x.run.id < y.run.id ? 1 : -1));
      const ofKind = (wanted: number) => newest.filter(({ kind }) => kind === wanted).map(({ run }) => run.id);
      assert.deepEqual(await idsOf(context, { text: "RARE", limit: 2 }), ofKind(0));
      assert.deepEqual(await idsOf(context, { text: "Common", limit: 500 }), ofKind(3));
      assert.deepEqual(await idsOf(context, { text: "missing", limit: 1 }), []);
      const [first] = ofKind(0);
      // Without the runs that one call does not reach.
      const latest = { ...allRuns, text: "rare", limit: 5, since: t0 + 333 };
      assert.deepEqual((await context.store.runs.list(latest, t0, {})).next, null);
      const missing = await context.store.runs.list({ ...allRuns, text: "missing" }, t0, {});
      assert.equal(new TextDecoder().decode(missing.json), "[]");
      assert.equal(missing.next?.id, newest[4_999]?.run.id);
      const { next } = await context.store.runs.list({ ...allRuns, text: "rare", limit: 1 }, t0, {});
      assert.equal(next?.id, first);
    },
  },
];
