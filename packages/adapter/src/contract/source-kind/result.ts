import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import type { Sample, SourceKindContext } from "./context.ts";
import { deliver, failureOf, unlimited, withExecution } from "./delivery.ts";

async function expectSample(context: SourceKindContext, { sql, columns, rows }: Sample): Promise<void> {
  await deliver(context, sql, async (written) => {
    assert.deepEqual(
      written.columns.map(({ name, kind }) => ({ name, kind })),
      columns,
    );
    for (const { engineType } of written.columns) assert.match(engineType, /./, "a column has no engine type");
    assert.equal(written.rowCount, rows.length);
    assert.deepEqual(await context.read(written), rows);
  });
}

function expectShare(share: number | null): void {
  assert.ok(share === null || (share >= 0 && share <= 1), `progress ${share}`);
}

const names = {
  types: "delivers a value of each type",
  nulls: "delivers NULLs as null",
  bigNumbers: "keeps all digits of big numbers",
  timestamps: "keeps the microseconds of times, and distant years",
  nested: "keeps arrays and objects",
  empty: "delivers the columns of a result without rows",
} as const satisfies Readonly<Record<keyof SourceKindContext["samples"], string>>;

/** Cases about results, their size limits, and progress. */
export const resultCases: readonly ContractCase<SourceKindContext>[] = [
  ...(Object.keys(names) as (keyof typeof names)[]).map((sample) => ({
    name: names[sample],
    run: (context: SourceKindContext) => expectSample(context, context.samples[sample]),
  })),
  {
    name: "delivers the results of concurrent statements separately",
    async run(context) {
      const { types, nulls, empty } = context.samples;
      await Promise.all([types, nulls, empty].map((sample) => expectSample(context, sample)));
    },
  },
  {
    name: "delivers all rows of a large result",
    async run(context) {
      const count = 20_000;
      assert.equal(await deliver(context, context.manyRows(count), async ({ rowCount }) => rowCount), count);
    },
  },
  {
    name: "fails a result above the row limit, and delivers one at the limit",
    async run(context) {
      const caps = { maxResultRows: 10, maxResultBytes: 1e9 };
      const { name } = await failureOf(deliver(context, context.manyRows(11), async () => {}, { caps }));
      assert.equal(name, "ResultTooLarge");
      assert.equal(await deliver(context, context.manyRows(10), async ({ rowCount }) => rowCount, { caps }), 10);
    },
  },
  {
    name: "fails a result above the byte limit",
    async run(context) {
      const caps = { maxResultRows: 1e9, maxResultBytes: 10_000 };
      const { name } = await failureOf(deliver(context, context.manyRows(20_000), async () => {}, { caps }));
      assert.equal(name, "ResultTooLarge");
    },
  },
  {
    name: "returns progress as a share from 0 to 1, or null",
    async run(context) {
      await withExecution(context, context.samples.types.sql, unlimited, async (execution) => {
        const shares = [execution.progress()];
        await execution.result();
        shares.push(execution.progress());
        for (const share of shares) expectShare(share);
      });
    },
  },
  {
    name: "returns progress while a statement runs, and after it was released",
    async run(context) {
      const released = await withExecution(context, context.endless, unlimited, async (execution) => {
        execution.result().catch(() => {}); // rejects when `withExecution` releases the execution
        expectShare(execution.progress());
        // Completes another statement first, so that the endless one is running.
        await deliver(context, context.samples.types.sql, async () => {});
        expectShare(execution.progress());
        return execution;
      });
      expectShare(released.progress());
    },
  },
];
