import { expect, it } from "vitest";
import type { SourceKindContext } from "../../src/contract/source-kind/context.ts";
import { sourceKindContract } from "../../src/contract/source-kind.ts";
import { type KindFault, memoryKind } from "./memory-kind.ts";

it.each(["rows", "parquet", "encoded"] as const)(
  "accepts a kind that delivers %s, and releases all of it",
  async (form) => {
    for (const { run } of sourceKindContract) {
      const { context, open } = memoryKind(form);
      await run(context);
      expect(open).toEqual({ data: 0, executions: 0, written: 0 });
    }
  },
);

/** Cases that would make each fault slow, and the faults that they find. */
const slowCases = [
  "ends a statement at its timeout",
  "delivers all rows of a large result",
  "fails a result above the byte",
];
const slowFaults: ReadonlySet<KindFault> = new Set([
  ...(["row count is wrong", "byte limit is not checked", "limits have other names", "failures have no name"] as const),
  ...(["failures are plain errors", "aborts have another reason", "ended statements succeed"] as const),
]);

/** Returns the numbers of the cases that fail, from 1. */
async function failures(fault: KindFault): Promise<number[]> {
  const failed: number[] = [];
  for (const [index, { name, run }] of sourceKindContract.entries())
    if (slowFaults.has(fault) || !slowCases.some((slow) => name.startsWith(slow)))
      await run(memoryKind("rows", fault).context).catch(() => failed.push(index + 1));
  return failed;
}

it.each<[KindFault, number[]]>([
  ["columns have other names", [1, 2, 3, 4, 5, 6, 7]],
  ["columns have other kinds", [1, 2, 3, 4, 5, 6, 7]],
  ["columns have no engine type", [1, 2, 3, 4, 5, 6, 7]],
  ["last row is lost", [1, 2, 3, 4, 5, 7]],
  ["values are others", [1, 2, 3, 4, 5, 7]],
  ["row count is wrong", [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ["statements share their rows", [7]],
  ["row limit is not checked", [9]],
  ["row limit is one less", [9]],
  ["byte limit is not checked", [10]],
  ["limits have other names", [9, 10]],
  ["progress is above 1", [11, 12]],
  ["progress is below 0", [11, 12]],
  ["progress is above 1 at last", [11, 12]],
  ["progress is above 1 while it runs", [12]],
  ["progress is above 1 after the release", [12]],
  ["failures have no name", [9, 10, 13]],
  ["failures have no message", [13, 14]],
  ["failures have another category", [13, 23]],
  ["failures are plain errors", [9, 10, 13, 14, 23]],
  ["invalid statements succeed", [13]],
  ["late failures are ignored", [14]],
  ["late failures end the engine", [14]],
  ["aborts have another reason", [15, 16]],
  ["aborted signals are ignored", [17]],
  ["ended statements succeed", [15, 16, 18, 19, 20]],
  ["second cancel rejects", [19]],
  ["unknown queries cannot be canceled", [19]],
  ["losses are other errors", [20]],
  ["new statements survive a loss", [20]],
  ["engine stays lost", [20]],
  ["revision is empty", [21]],
  ["revision changes", [21]],
  ["data has another revision", [21]],
  ["described columns have other names", [22]],
  ["invalid statements are described", [23]],
  ["tables are not listed", [24]],
  ["tables lack columns", [24]],
  ["completion starts elsewhere", [25]],
  ["completions begin before the statement", [25]],
  ["completions begin after the statement", [25]],
])("refuses a kind whose fault is: %s", async (fault, cases) => expect(await failures(fault)).toEqual(cases));

const lists = sourceKindContract.find(({ name }) => name.startsWith("lists the tables"));
const completes = sourceKindContract.find(({ name }) => name.startsWith("completes"));

it.each([
  ["tables", lists, "the context must have tables exactly if the kind lists them"],
  ["completion", completes, "the context must have a completion exactly if the kind completes statements"],
] as const)("requires %s of the context exactly if the kind has them", async (member, contractCase, message) => {
  const { [member]: _, ...without } = memoryKind("rows").context;
  const { tables: _tables, complete: _complete, ...kind } = without.kind;
  const full: SourceKindContext = memoryKind("rows").context;
  await expect(contractCase?.run(without)).rejects.toThrow(message);
  await expect(contractCase?.run({ ...full, kind })).rejects.toThrow(message);
  await contractCase?.run({ ...without, kind });
});

it("cancels no query of an engine whose queries end with their process, and restarts none that it starts itself", async () => {
  const { context, open } = memoryKind("rows");
  const { restart: _, ...without } = context;
  const canceled: string[] = [];
  const kind: SourceKindContext["kind"] = {
    ...context.kind,
    begin: async (statement, signal) => ({ ...(await context.kind.begin(statement, signal)), engineQueryId: null }),
    cancel: async (_source, id) => void canceled.push(id),
  };
  for (const { run } of sourceKindContract.slice(18, 20)) await run({ ...without, kind });
  expect([canceled, open.executions]).toEqual([["an unknown query"], 0]);
});
