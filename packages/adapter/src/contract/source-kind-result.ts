import assert from "node:assert/strict";
import type { ContractCase } from "./contract-case.ts";
import { deliver, failureOf, unlimited, withExecution } from "./delivery.ts";
import type { Sample, SourceKindContext } from "./source-kind-context.ts";

async function expectSample(context: SourceKindContext, { sql, columns, rows }: Sample): Promise<void> {
  await deliver(context, sql, async (written) => {
    assert.deepEqual(
      written.columns.map(({ name, kind }) => ({ name, kind })),
      columns,
    );
    for (const { engineType } of written.columns) assert.match(engineType, /./, "a column without an engine type");
    assert.equal(written.rowCount, rows.length);
    assert.deepEqual(await context.read(written), rows);
  });
}

function expectShare(share: number | null): void {
  assert.ok(share === null || (share >= 0 && share <= 1), `progress ${share}`);
}

const names = {
  types: "delivers a value of each type",
  nulls: "delivers nulls as nulls",
  bigNumbers: "keeps every digit of big numbers",
  timestamps: "keeps the microseconds of times, and years far from today",
  nested: "keeps arrays and objects",
  empty: "delivers the columns of an empty result",
} as const satisfies Readonly<Record<keyof SourceKindContext["samples"], string>>;

/** Cases about the result of a statement that succeeds, and its size. */
export const resultCases: readonly ContractCase<SourceKindContext>[] = [
  ...(Object.keys(names) as (keyof typeof names)[]).map((sample) => ({
    name: names[sample],
    run: (context: SourceKindContext) => expectSample(context, context.samples[sample]),
  })),
  {
    name: "delivers the results of statements that run at once, each to its own",
    async run(context) {
      const { types, nulls, empty } = context.samples;
      await Promise.all([types, nulls, empty].map((sample) => expectSample(context, sample)));
    },
  },
  {
    name: "delivers all of many rows",
    async run(context) {
      const count = 20_000;
      assert.equal(await deliver(context, context.manyRows(count), async ({ rowCount }) => rowCount), count);
    },
  },
  {
    name: "refuses a result of more rows than the limit, and none of as many",
    async run(context) {
      const caps = { maxResultRows: 10, maxResultBytes: 1e9 };
      const { name } = await failureOf(deliver(context, context.manyRows(11), async () => {}, { caps }));
      assert.equal(name, "ResultTooLarge");
      assert.equal(await deliver(context, context.manyRows(10), async ({ rowCount }) => rowCount, { caps }), 10);
    },
  },
  {
    name: "refuses a result of more bytes than the limit",
    async run(context) {
      const caps = { maxResultRows: 1e9, maxResultBytes: 10_000 };
      const { name } = await failureOf(deliver(context, context.manyRows(20_000), async () => {}, { caps }));
      assert.equal(name, "ResultTooLarge");
    },
  },
  {
    name: "tells progress as a share of the work, or that it cannot",
    async run(context) {
      await withExecution(context, context.samples.types.sql, unlimited, async (execution) => {
        const told = [execution.progress()];
        await execution.result();
        told.push(execution.progress());
        for (const share of told) expectShare(share);
      });
    },
  },
  {
    name: "tells progress as a share while a statement runs, and after it was given up",
    async run(context) {
      const given = await withExecution(context, context.endless, unlimited, async (execution) => {
        execution.result().catch(() => {}); // it is given up below
        expectShare(execution.progress());
        // It runs meanwhile: another statement runs to its end beside it.
        await deliver(context, context.samples.types.sql, async () => {});
        expectShare(execution.progress());
        return execution;
      });
      expectShare(given.progress());
    },
  },
];
