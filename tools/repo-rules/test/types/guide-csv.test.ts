import { expect, it } from "vitest";
import { useLoader } from "../../../../packages/duckdb/test/loading/loaded-files.ts";
import { guideRows } from "./guide-table.ts";
import { plainOf, type Sample } from "./sample.ts";
import { samples } from "./samples.ts";

const { loaded } = useLoader();

/** Loads the text of a sample with its type. Returns what the guide says of it. */
async function outcomeOf(sample: Sample): Promise<string> {
  const { type, sql } = sample;
  const cell = `"${plainOf(sample).replaceAll('"', '""')}"`;
  try {
    const { read } = await loaded({ "t.csv": `id,x\n1,\n2,${cell}\n` }, { types: { x: type } });
    const [[isEqual] = []] = await read(`SELECT x IS NOT DISTINCT FROM (${sql}) FROM t WHERE id = 2`);
    return isEqual === true ? "equal" : "other bytes";
  } catch (error) {
    const names =
      /^(Value that is not exactly a .* in the column x of \S+t\.csv, row 2; |Invalid type of the column x: )/;
    return names.test(String(error instanceof Error ? error.message : error)) ? "refused" : String(error);
  }
}

it("the guide says which texts of a CSV file load as equal values of their type", async () => {
  const outcomes: string[] = [];
  for (const sample of samples) outcomes.push(await outcomeOf(sample));
  expect(samples.map(({ sql }, index) => [sql, outcomes[index]])).toEqual(
    guideRows().map(({ sql, csv }) => [sql, csv]),
  );
});
