import { expect, it } from "vitest";
import { query, rowsOf } from "../../src/index.ts";
import { paramsOf, startService } from "../support/scripted-service.ts";

it.each([1, 0])("rows are read one a page where the page size is %i", async (pageSize) => {
  await using server = await startService({ rows: [[1], [2], [3]] });
  const result = await query(server.client, { sql: "a", pageSize });
  expect(await Array.fromAsync(rowsOf(result))).toHaveLength(3);
  const page = { size: 1 };
  expect(paramsOf(server.exchanges, "getQueryRunResults")).toMatchObject([{ page }, { page }, { page }]);
});
