import { afterAll, beforeAll, expect, it } from "vitest";
import {
  describeOnSource,
  openParts,
  type Parts,
  resultOf,
  sourceOf,
} from "../../../../packages/postgres/test/source/fixture.ts";
import { guideRows } from "./guide-table.ts";

const rows = guideRows().filter(({ postgres }) => postgres !== "");

await describeOnSource("expressions of PostgreSQL in the guide", (postgres) => {
  let parts: Parts;
  beforeAll(async () => {
    parts = await openParts();
  });
  afterAll(() => parts.close());

  it("have the JSON of the values beside them", async () => {
    const sql = `SELECT ${rows.map((row) => row.postgres).join(", ")}`;
    const { rows: read } = await resultOf(parts, sourceOf(postgres), sql);
    expect(rows.map((row, index) => [row.postgres, [read[0]?.[index]]])).toEqual(
      rows.map((row) => [row.postgres, JSON.parse(row.list)]),
    );
  });
});
