import { expect, it } from "vitest";
import { keepDigits } from "../../src/connection/exact-json.ts";

/** An answer as the command line prints it. */
async function printed(text: string): Promise<string> {
  const request = {} as Parameters<typeof keepDigits>[0];
  const reply = await keepDigits(request, async () => ({ status: 200, text }) as never);
  return JSON.stringify("data" in reply ? (reply.data ?? "no JSON") : "as it is");
}

it.each([
  ["[1.10]", "[1.10]"],
  ['{"a":1.0}', '{"a":1.0}'],
  ["[1e3,1E-7]", "[1e3,1E-7]"],
  ["[-0]", "[-0]"],
  ["[-0 ]", "[-0]"],
  ["[9007199254740993]", '["9007199254740993"]'],
  ["[-9007199254740993]", '["-9007199254740993"]'],
  ["[12345678901234567890.5]", "[12345678901234567890.5]"],
  ["[1000000000000000]", "[1000000000000000]"],
  ['["1.10",1.5]', '["1.10",1.5]'],
  [" 1.50", "1.50"],
])("the numbers of %s are printed as %s", async (text, json) => {
  expect(await printed(` ${text}`)).toBe(json);
});

it.each(["[1,23,456]", '{"a":"x"}', '{"a":true}'])("%s is left to the client", async (text) => {
  expect(await printed(text)).toBe('"as it is"');
});

it("an answer that is no JSON is left to the client, too", async () => {
  expect(await printed("[1.10")).toBe('"no JSON"');
});
