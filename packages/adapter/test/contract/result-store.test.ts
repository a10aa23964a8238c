import { expect, it } from "vitest";
import { resultStoreContract } from "../../src/contract/result-store.ts";
import { delayed } from "./delayed.ts";
import { memoryResults, type ResultsFault } from "./memory-results.ts";

/** Returns the numbers of the cases that fail, from 1. */
async function failures(fault?: ResultsFault): Promise<number[]> {
  const failed: number[] = [];
  for (const [index, { run }] of resultStoreContract.entries())
    await run(memoryResults(fault)).catch(() => failed.push(index + 1));
  return failed;
}

it("accepts an implementation without a fault", async () => expect(await failures()).toEqual([]));

it.each(resultStoreContract)("accepts one whose changes take a while, which it awaits: $name", async ({ run }) => {
  const context = memoryResults();
  const store = delayed(context.store, ["commit", "remove", "sweep"]);
  await run(delayed({ ...context, store }, ["addOrphan", "makeUnavailable"]));
});

it.each<[ResultsFault, number[]]>([
  ["attempts share a result", [1, 4, 9]],
  ["columns are lost", [1]],
  ["size is 0", [1]],
  ["rows are not counted", [2]],
  ["rejected file is stored", [2]],
  ["removal removes another run", [3]],
  ["second removal rejects", [3]],
  ["removal does nothing", [3, 4, 7]],
  ["removal keeps the files", [3, 4, 9, 10]],
  ["removal of a later attempt does nothing", [4]],
  ["removed result is opened", [7]],
  ["unavailable is missing", [5]],
  ["check is always fine", [6]],
  ["check rejects with another error", [6]],
  ["check always rejects", [6]],
  ["removal takes files from readers", [7]],
  ["second release counts", [7]],
  ["files stay after the last release", [7, 8]],
  ["sweep takes files from readers", [8]],
  ["sweep keeps archived runs", [8, 10]],
  ["sweep keeps failed runs", [10]],
  ["sweep keeps unknown runs", [10]],
  ["sweep keeps earlier attempts", [9, 10]],
  ["sweep keeps earlier attempts of executing runs", [9]],
  ["sweep keeps uncommitted files", [10]],
  ["sweep removes running runs", [9]],
  ["sweep removes streaming runs", [9]],
  ["sweep keeps ready runs", [9]],
  ["sweep removes current results", [10]],
])("refuses one whose fault is: %s", async (fault, cases) => expect(await failures(fault)).toEqual(cases));
