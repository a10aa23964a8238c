import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, query } from "@quern/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { API_KEY, type Service, start } from "../../src/service.ts";
import { exactJson, jsonRpc } from "./forms.ts";
import { guideRows } from "./guide-table.ts";
import { samples } from "./samples.ts";

const rows = guideRows();
let service: Service;
let queryRunId: string;
beforeAll(async () => {
  service = await start("serve", "--data-dir", mkdtempSync(join(tmpdir(), "quern-guide-")));
  const cells = rows.map(({ sql }, index) => `[${sql}] AS l${index}, {'a': ${sql}} AS s${index}, ${sql} AS v${index}`);
  const nulls = rows.map(() => "NULL, NULL, NULL");
  // So many rows that the file has dictionaries and filters of its own.
  const sql = `SELECT ${cells.join(", ")} FROM range(20) UNION ALL SELECT ${nulls.join(", ")}`;
  ({ queryRunId } = await query(createClient({ url: service.url, apiKey: API_KEY }), { sql }));
}, 60_000); // the service starts slowly on a loaded machine
afterAll(() => service?.stop());

it("the guide has a row for each sample, and its values are those of a page, in a list and in a struct", async () => {
  expect(rows.map(({ sql }) => sql)).toEqual(samples.map(({ sql }) => sql));
  const page = await jsonRpc(service.url, "getQueryRunResults", { queryRunId, page: { number: 1, size: 1 } });
  const shown = (index: number): string => JSON.stringify(page.rows[0][index]);
  const written = (json: string): string => JSON.stringify(exactJson(json));
  expect(rows.map(({ sql }, index) => [sql, shown(3 * index), shown(3 * index + 1)])).toEqual(
    rows.map(({ sql, list, struct }) => [sql, written(list), written(struct)]),
  );
});

it.each(["eq", "in_"])(
  "a filter %s with the value of the guide finds it",
  async (operator) => {
    const failed = [];
    const filtersOf = rows.flatMap(({ filter }, index) => {
      const value = filter === "null only" ? null : JSON.parse(filter);
      return value === null ? [] : [{ column: `v${index}`, [operator]: operator === "eq" ? value : [value] }];
    });
    const count = async (filters: object) =>
      (await jsonRpc(service.url, "getQueryRunResults", { queryRunId, filters })).rows?.length;
    for (let from = 0; from < filtersOf.length; from += 64) {
      const part = filtersOf.slice(from, from + 64); // a request has 64 filters at most, and a row must meet all of them
      if ((await count(part)) === 20) continue;
      for (const filter of part) if ((await count([filter])) !== 20) failed.push(filter);
    }
    expect(failed).toEqual([]);
  },
  60_000,
);

it("null finds the other row of each value that is compared with null only", async () => {
  const filters = rows.flatMap(({ filter }, index) =>
    filter === "null only" ? [{ column: `v${index}`, eq: null }] : [],
  );
  const { rows: found } = await jsonRpc(service.url, "getQueryRunResults", { queryRunId, filters });
  expect(found).toHaveLength(1);
});
