import assert from "node:assert/strict";
import type { HeldData, Source } from "../source.ts";
import type { SourceTable } from "../source-kind.ts";
import type { ContractCase } from "./contract-case.ts";
import { failureOf, unlimited } from "./delivery.ts";
import type { SourceKindContext } from "./source-kind-context.ts";

const caller = { tenantId: "tenant_contract", userId: "user_contract" };

/** Holds the data of the source while it is used. */
async function onData<T>(
  { kind, source }: SourceKindContext,
  use: (on: { readonly source: Source; readonly data: HeldData }) => Promise<T>,
): Promise<T> {
  const data = await kind.hold(source);
  return use({ source, data }).finally(() => data.release());
}

const byName = (one: SourceTable, other: SourceTable): number => (keyOf(one) < keyOf(other) ? -1 : 1);
const keyOf = ({ catalog, schema, name }: SourceTable): string => JSON.stringify([catalog, schema, name]);

/** Cases about what is known of a source without running a statement. */
export const inspectionCases: readonly ContractCase<SourceKindContext>[] = [
  {
    name: "has one revision while the data stays, and holds data of that revision",
    async run(context) {
      const { kind, source } = context;
      const revision = await kind.revision(source);
      assert.match(revision, /./);
      assert.equal(await kind.revision(source), revision);
      assert.equal(await onData(context, async ({ data }) => data.revision), revision);
    },
  },
  {
    name: "describes the columns that a statement delivers",
    async run(context) {
      const { sql, columns } = context.samples.types;
      const described = await onData(context, (on) =>
        context.kind.describe({ ...caller, ...on, sql, parameters: null }, unlimited),
      );
      assert.deepEqual(
        described.columns.map(({ name, kind }) => ({ name, kind })),
        columns,
      );
    },
  },
  {
    name: "refuses to describe an invalid statement",
    async run(context) {
      const sql = context.invalid;
      const { data } = await failureOf(
        onData(context, (on) => context.kind.describe({ ...caller, ...on, sql, parameters: null }, unlimited)),
      );
      assert.equal(data.category, "USER");
    },
  },
  {
    name: "lists its tables and their columns, if it lists any",
    async run(context) {
      const { kind, tables } = context;
      assert.equal(kind.tables === undefined, tables === undefined, "tables are expected where the kind lists them");
      const listed = await onData(context, async (on) => kind.tables?.({ ...caller, ...on }, unlimited));
      assert.deepEqual(listed?.toSorted(byName), tables?.toSorted(byName));
    },
  },
  {
    name: "completes a statement, if it completes any",
    async run(context) {
      const { kind, completion } = context;
      assert.equal(
        kind.complete === undefined,
        completion === undefined,
        "a text is expected where the kind completes",
      );
      if (completion === undefined) return;
      const { sql, start, text } = completion;
      const completions = await onData(context, async (on) =>
        kind.complete?.({ ...caller, ...on, sql }, sql.length, unlimited),
      );
      const found = completions?.find((each) => each.text === text);
      assert.equal(found?.start, start, `${text} is not among ${completions?.map((each) => each.text).join(", ")}`);
      for (const each of completions ?? []) assert.ok(each.start >= 0 && each.start <= sql.length);
    },
  },
];
