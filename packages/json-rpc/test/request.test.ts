import { describe, expect, test, vi } from "vitest";
import { parseBody } from "../src/handler.ts";
import { bytes, call, createEcho, send } from "./echo.ts";

test.each(["", "{", "[1,", "NaN", "{'a':1}", "{} {}", '{"a":1}x', "\u0000"])(
  "a body that is no JSON is a parse error: %j",
  async (body) => {
    expect((await send(body)).json).toMatchObject({ id: null, error: { code: -32700 } });
  },
);

test("a body that is not UTF-8 is a parse error, and a byte order mark is accepted", async () => {
  expect((await send(new Uint8Array([0x22, 0xff, 0x22]))).json).toMatchObject({ error: { code: -32700 } });
  expect((await send(`\uFEFF${JSON.stringify(call("echo", [{ text: "x" }], 1))}`)).json.result).toBe("x");
});

test.each([
  ["arrays", `{"jsonrpc":"2.0","method":"echo","params":${"[".repeat(20_000)}${"]".repeat(20_000)},"id":1}`],
  ["objects", `{"jsonrpc":"2.0","method":"echo","params":[${'{"a":'.repeat(5000)}1${"}".repeat(5000)}],"id":1}`],
  [
    "arrays after an escaped quote",
    `{"jsonrpc":"2.0","method":"echo","params":[{"text":"\\"","more":${"[".repeat(500)}${"]".repeat(500)}}],"id":1}`,
  ],
  [
    "arrays after an escaped backslash",
    `{"jsonrpc":"2.0","method":"echo","params":[{"text":"\\\\","more":${"[".repeat(500)}${"]".repeat(500)}}],"id":1}`,
  ],
])("a body too deep in %s is refused with its id", async (_, body) => {
  expect((await send(body)).json).toMatchObject({ id: 1, error: { code: -32600 } });
});

test("a body is not too deep for brackets within strings", async () => {
  const text = `\\" ${"[".repeat(500)} \\\\`;
  expect((await send(call("echo", [{ text }], 1))).json.result).toBe(text);
});

describe("a parsed body", () => {
  test.each([
    ["a call", '{"jsonrpc":"2.0","method":"echo","params":[{"text":"x"}],"id":9007199254740993}'],
    ["a batch", '[{"jsonrpc":"2.0","method":"echo","params":[{"text":"x"}],"id":1},{"id":12345678901234567890}]'],
    ["no request", "7"],
  ])("is answered like its text, and not parsed again: %s", async (_, text) => {
    const headers = new Headers({ "x-api-key": "k" });
    const handler = createEcho();
    const byText = await handler.handle(text, headers);
    const body = parseBody(bytes(text));
    expect(body).toEqual({ text, value: JSON.parse(text) });
    const parse = vi.spyOn(JSON, "parse");
    expect(await handler.handle(body, headers)).toEqual(byText);
    const texts = parse.mock.calls.filter(([parsed, reviver]) => parsed === text && reviver === undefined);
    parse.mockRestore();
    expect(texts).toEqual([]);
  });

  test("throws if the text is not JSON or the bytes are not UTF-8", () => {
    expect(() => parseBody("{")).toThrow(SyntaxError);
    expect(() => parseBody(new Uint8Array([0x22, 0xff, 0x22]))).toThrow(TypeError);
  });
});
