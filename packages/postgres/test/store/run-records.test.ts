import { expect, it } from "vitest";
import type { Queries } from "../../src/store/database.ts";
import { deleteRuns, readRun } from "../../src/store/run-records.ts";

it("deletes no runs without a query", async () => {
  expect(await deleteRuns({} as Queries, [])).toBe(0);
});

it("deletes by one statement after the other, so that no run has the statements that it deletes last", async () => {
  let open = 0;
  let mostOpen = 0;
  const rows = async () => {
    mostOpen = Math.max(mostOpen, ++open);
    await new Promise(setImmediate);
    open -= 1;
    return [];
  };
  expect(await deleteRuns({ rows } as unknown as Queries, ["a"])).toBe(0);
  expect(mostOpen).toBe(1);
});

it("reads the record, the parameters and the version of a run", async () => {
  const row = { "runs.record": '{"id":"a"}', "runs.parameters": '{"n":1}', "runs.version": "7", "runs.state": "s" };
  const rows = async (text: string) => {
    const selected = text.replace(/^SELECT (.*) FROM.*$/s, "$1").split(", ");
    const cells = Object.entries(row).filter(([column]) => selected.includes(column));
    return [Object.fromEntries(cells.map(([column, cell]) => [column.replace("runs.", ""), cell]))];
  };
  expect(await readRun({ rows } as unknown as Queries, "a")).toEqual({
    run: { id: "a", parameters: { n: 1 } },
    version: 7,
  });
});
