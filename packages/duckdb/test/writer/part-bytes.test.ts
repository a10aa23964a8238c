import { StatementError } from "@quern/adapter";
import { expect, it } from "vitest";
import { partBytes } from "../../src/writer/part-bytes.ts";

async function* of<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Returns the text of a result whose parts have these pieces. */
async function textOf(encoding: "csv" | "json", ...parts: readonly string[][]): Promise<string> {
  const encoded = parts.map((pieces) => of(pieces.map((piece) => Buffer.from(piece))));
  let text = "";
  for await (const piece of partBytes({ form: "encoded", columns: [], encoding, parts: of(encoded) }))
    text += typeof piece === "string" ? piece : Buffer.from(piece).toString();
  return text;
}

it.each<[string[][], string]>([
  [[], "[]\n"],
  [[["[]"]], "[]\n"],
  [[["[[1]]"]], "[[1]]\n"],
  [[["[[1]]"], ["[[2],[3]]"]], "[[1],[2],[3]]\n"],
  [[["[]"], ["[[2]]"], [" [ ] "], ["[[3]]"]], "[[2],[3]]\n"],
  [[["[", "[1", "]", "]"]], "[[1]]\n"],
  [[[" \t\r\n", "[", " ", "[1]", " ", "]", " \n\t\r"]], "[ [1] ]\n"],
  [
    [
      ["[[1]", " ]"],
      ["", "[[2]]", ""],
    ],
    "[[1],[2]]\n",
  ],
  [[["[[1],", " ", "[2]", "]\n"]], "[[1], [2]]\n"],
])("joins the parts %j to one array", async (parts, text) => {
  expect(await textOf("json", ...parts)).toBe(text);
});

it.each([[["{}"]], [["x[]"]], [["[[1]] x"]], [["[", "[1],"]], [[""]]])("refuses the part %j", async (pieces) => {
  const refused = await textOf("json", pieces).catch((error: unknown) => error);
  expect(refused instanceof StatementError && refused.failure).toMatchObject({
    name: "InvalidValue",
    data: { category: "DATA_SOURCE", retryable: false },
  });
});

it("leaves CSV as it is", async () => {
  expect(await textOf("csv", ["a\n", "b"], ["[c]\n"])).toBe("\uFEFFa\nb[c]\n");
  expect(await textOf("csv")).toBe("\uFEFF");
});
