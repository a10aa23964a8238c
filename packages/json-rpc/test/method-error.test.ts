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
