import assert from "node:assert/strict";
import type { HeldData, Source } from "../../source.ts";
import type { SourceTable } from "../../source-kind.ts";
import type { ContractCase } from "../contract-case.ts";
import type { SourceKindContext } from "./context.ts";
import { failureOf, unlimited } from "./delivery.ts";

const caller = { tenantId: "tenant_contract", userId: "user_contract" };

/** Calls `use` with a snapshot of the data of the source, and releases the snapshot afterwards. */
async function onData<T>(
  { kind, source }: SourceKindContext,
  use: (held: { readonly source: Source; readonly data: HeldData }) => Promise<T>,
): Promise<T> {
  const data = await kind.hold(source);
  return use({ source, data }).finally(() => data.release());
}

const byName = (one: SourceTable, other: SourceTable): number => (keyOf(one) < keyOf(other) ? -1 : 1);
const keyOf = ({ catalog, schema, name }: SourceTable): string => JSON.stringify([catalog, schema, name]);

/** Cases about revisions, descriptions, tables and completions. */
export const inspectionCases: readonly ContractCase<SourceKindContext>[] = [
  {
    name: "returns the same revision while the data is unchanged, and holds data of that revision",
    async run(context) {
      const { kind, source } = context;
      const revision = await kind.revision(source);
      assert.match(revision, /./);
      assert.equal(await kind.revision(source), revision);
      assert.equal(await onData(context, async ({ data }) => data.revision), revision);
    },
  },
  {
    name: "describes the columns of the result of a statement",
    async run(context) {
      const { sql, columns } = context.samples.types;
      const described = await onData(context, (held) =>
        context.kind.describe({ ...caller, ...held, sql, parameters: null }, unlimited),
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
        onData(context, (held) => context.kind.describe({ ...caller, ...held, sql, parameters: null }, unlimited)),
      );
      assert.equal(data.category, "USER");
    },
  },
  {
    name: "lists the tables with their columns, if the kind lists tables",
    async run(context) {
      const { kind, tables } = context;
      assert.equal(
        kind.tables === undefined,
        tables === undefined,
        "the context must have tables exactly if the kind lists them",
      );
      const listed = await onData(context, async (held) => kind.tables?.({ ...caller, ...held }, unlimited));
      assert.deepEqual(listed?.toSorted(byName), tables?.toSorted(byName));
    },
  },
  {
    name: "completes a statement, if the kind completes statements",
    async run(context) {
      const { kind, completion } = context;
      assert.equal(
        kind.complete === undefined,
        completion === undefined,
        "the context must have a completion exactly if the kind completes statements",
      );
      if (completion === undefined) return;
      const { sql, start, text } = completion;
      const completions = await onData(context, async (held) =>
        kind.complete?.({ ...caller, ...held, sql }, sql.length, unlimited),
      );
      const found = completions?.find((each) => each.text === text);
      assert.equal(found?.start, start, `${text} is not among ${completions?.map((each) => each.text).join(", ")}`);
      for (const each of completions ?? []) assert.ok(each.start >= 0 && each.start <= sql.length);
    },
  },
];
