import { createClient, query, rowsOf } from "@quern/client";
import { createMockServer } from "@quern/mock-server";

/** Runs two queries together and reads their pages of one row, which needs no timer. Returns all rows as a text. */
export async function readCars(mock = createMockServer(), options = mock) {
  mock.when("select n from cars").rows([{ n: 1 }, { n: 2 }, { n: 3 }]);
  const client = createClient(options);
  const read = async () => {
    const rows = [];
    for await (const { n } of rowsOf(await query(client, { sql: "select n from cars", pageSize: 1 }))) rows.push(n);
    return rows;
  };
  return (await Promise.all([read(), read()])).join(" ");
}
