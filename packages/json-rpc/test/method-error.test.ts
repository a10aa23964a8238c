import { expect, it } from "vitest";
import { declaredErrors } from "../src/handler.ts";

const { declaredError, invalidParams } = declaredErrors({
  InvalidParams: { code: -32602, message: "The params cannot be used" },
  NoteNotFound: { code: -32001, message: "There is no such note." },
});

it("has the code and message of the document", () => {
  const cause = new Error("disk");
  expect({ ...declaredError("NoteNotFound", { id: 1 }, { cause }), cause }).toMatchObject({
    code: -32001,
    data: { id: 1 },
    cause,
  });
  expect(declaredError("NoteNotFound").message).toBe("There is no such note.");
});

it("reports the position of params in the request", () => {
  const issue = { pointer: "/text", expected: "a text", received: "nothing" };
  const located = { ...issue, pointer: "/params/0/text" };
  const message = "The params cannot be used: /params/0/text: expected a text, received nothing";
  expect(invalidParams([issue])).toMatchObject({ code: -32602, message, data: { issues: [located] } });
  expect(invalidParams([issue], "twice")).toMatchObject({ message, data: { issues: [located], reason: "twice" } });
});

it("has the values of its data in its message, for clients that show no data", () => {
  const errors = declaredErrors({
    InvalidParams: { code: -32602, message: "Invalid params" },
    Unknown: { code: 1, message: "Unknown note: data.name; use one of: data.names, or data.other" },
  });
  const messageOf = (data?: unknown) => errors.declaredError("Unknown", data).message;
  expect(messageOf({ name: 'a"\n', names: ["b", "c"] })).toBe(
    'Unknown note: "a\\"\\n"; use one of: "b", "c", or data.other',
  );
  expect(messageOf({ name: "n".repeat(1_000), names: Array.from({ length: 1_000 }, (_, n) => n) })).toMatch(
    /^Unknown note: "n{199}…; use one of: 0, 1, .*, 49 and 950 more in data.names, or data.other$/,
  );
  expect([messageOf(), messageOf(null), messageOf("text")]).toEqual(Array(3).fill(messageOf({})));
});
