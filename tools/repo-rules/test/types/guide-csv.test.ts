import { expect, it } from "vitest";
import { useLoader } from "../../../../packages/duckdb/test/loading/loaded-files.ts";
import { guideRows } from "./guide-table.ts";
import { plainOf, type Sample } from "./sample.ts";
import { samples } from "./samples.ts";

const { loaded } = useLoader();

/** Loads a CSV file with the text of each sample in a column of its type, after a row of NULLs. */
function load(columns: readonly Sample[]) {
  const names = columns.map((_, index) => `x${index}`);
  const cells = columns.map((sample) => `"${plainOf(sample).replaceAll('"', '""')}"`);
  const text = `id,${names.join(",")}\n1,${names.map(() => "").join(",")}\n2,${cells.join(",")}\n`;
  const types = Object.fromEntries(columns.map(({ type }, index) => [`x${index}`, type]));
  return loaded({ "t.csv": text }, { types });
}

const rows = guideRows();
const saidToBe = (outcome: string) => samples.filter((_, index) => rows[index]?.csv === outcome);

it("the guide says which texts of a CSV file load as equal values, and which as other bytes", async () => {
  const columns = samples.filter((sample) => !saidToBe("refused").includes(sample));
  const { read } = await load(columns);
  const equal = columns.map(({ sql }, index) => `x${index} IS NOT DISTINCT FROM (${sql})`);
  const [found = []] = await read(`SELECT ${equal.join(", ")} FROM t WHERE id = 2`);
  expect(columns.map(({ sql }, index) => [sql, found[index]])).toEqual(
    columns.map((sample) => [sample.sql, saidToBe("equal").includes(sample)]),
  );
});

it("the guide says which texts of a CSV file are refused", async () => {
  const refused = saidToBe("refused");
  expect(refused).toHaveLength(12);
  for (const sample of refused)
    await expect(load([sample]), sample.sql).rejects.toThrow(
      /^(Value that is not exactly a .* in the column x0 of \S+t\.csv, row 2|Invalid type of the column x0: .*); /,
    );
});
