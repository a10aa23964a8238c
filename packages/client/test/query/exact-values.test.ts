import { expect, it } from "vitest";
import { createQueryRun, query, startQuery } from "../../src/index.ts";
import { paramsOf, startService } from "../support/scripted-service.ts";

it("refuses parameters that JSON would replace by other values, and sends nothing", async () => {
  await using server = await startService();
  for (const value of [
    Number.NaN,
    Infinity,
    -Infinity,
    new Date(Number.NaN),
    undefined,
    2 ** 60,
    10n,
    Symbol("a"),
    () => 1,
  ]) {
    for (const parameters of [[value], { a: value }] as never[]) {
      for (const send of [query, startQuery, createQueryRun])
        await expect(send(server.client, { sql: "a", parameters }), String(value)).rejects.toThrow(TypeError);
    }
  }
  const sent = query(server.client, { sql: "a", parameters: { limit: Number.NaN } });
  await expect(sent).rejects.toThrow("Invalid parameters: limit is NaN; pass text or null");
  expect(server.exchanges).toEqual([]);
});

it("sends a raw JSON number as a number", async () => {
  await using server = await startService();
  const raw = (JSON as JSON & { rawJSON(text: string): number }).rawJSON("9007199254740993");
  for (const parameters of [[raw], { n: raw }]) await query(server.client, { sql: "a", parameters });
  // The server of this test rounds it.
  const sent = paramsOf(server.exchanges, "createQueryRun").map(({ parameters }) => parameters);
  expect(sent).toEqual([[2 ** 53], { n: 2 ** 53 }]);
});

it("sends all other parameters as they are, and filters as the text of a page", async () => {
  await using server = await startService();
  const parameters = [2 ** 53 - 1, 1e18, 1e300, -0.5, "NaN", null, true];
  const filters = [{ column: "n", eq: Number.NaN, in: [Infinity, -Infinity, 2 ** 60, 1.5, null] }];
  await query(server.client, { sql: "a", parameters, filters });
  expect(paramsOf(server.exchanges, "createQueryRun")[0]?.parameters).toEqual(parameters);
  const [page] = paramsOf(server.exchanges, "getQueryRunResults");
  expect(page?.filters).toEqual([
    { column: "n", eq: "NaN", in: ["Infinity", "-Infinity", "1152921504606846976", 1.5, null] },
  ]);
});
