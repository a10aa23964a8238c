import { describe, expect, it } from "vitest";
import { modelOf } from "./support/model.ts";

describe("the model", () => {
  it("keeps references by name, so that schemas may hold themselves", () => {
    const note = modelOf().schemas.find(({ name }) => name === "Note");
    expect(note?.schema.properties.find(({ name }) => name === "inside")?.schema.items?.reference).toBe("Note");
  });

  it("names schemas that are written in place by their method or error", () => {
    const names = modelOf().schemas.map(({ name }) => name);
    expect(names).toEqual(["Note", "Color", "AddNoteParams", "NoteTooLongData", "DeleteParams", "DeleteResult"]);
  });

  it("names errors that are written in place by their message", () => {
    expect(modelOf().methods[0]?.errors.map(({ name, code }) => [name, code])).toEqual([
      ["NoteTooLong", -32010],
      ["BoardIsFull", -32011],
    ]);
  });

  it("points to where each thing stands", () => {
    const { methods, errors } = modelOf();
    expect(methods.map(({ pointer }) => pointer)).toEqual(["/methods/0", "/methods/1"]);
    expect(errors.map(({ pointer }) => pointer)).toEqual(["/components/errors/NoteTooLong", "/methods/0/errors/1"]);
  });
});
