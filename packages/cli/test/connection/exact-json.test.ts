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
  ["[9007199254740992]", '["9007199254740992"]'],
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

it.each([
  ["[1e21]", "[1e21]"],
  ["[-1.0]", "[-1.0]"],
  ["[-1234567890123456]", "[-1234567890123456]"],
  ['{"a":9007199254740991}', '{"a":9007199254740991}'],
])("the digits of %s are those of %s", async (text, json) => {
  expect(await printed(text)).toBe(json);
});

it.each(["[123456789012345]", "[-1]", "[10,-20]", '{"a":"x and example, .5"}', '{"e":" -e"}'])(
  "%s has no number that is written differently",
  async (text) => {
    expect(await printed(text)).toBe('"as it is"');
  },
);

it("the other members of an answer stay", async () => {
  const request = {} as Parameters<typeof keepDigits>[0];
  const reply = { status: 201, text: "[1.5]", headers: new Headers() };
  expect(await keepDigits(request, async () => reply)).toEqual({ ...reply, data: [1.5] });
});
