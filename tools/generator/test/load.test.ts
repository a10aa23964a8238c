import { describe, expect, it } from "vitest";
import { isJsonObject } from "../src/json.ts";
import { pointerSegments } from "../src/pointer.ts";
import { createDocument } from "./support/document.ts";
import { modelOf } from "./support/model.ts";

/** Returns the message for the document with another value at the pointer. */
function refusal(pointer: string, value: unknown): string {
  const document = createDocument();
  const segments = [...pointerSegments(pointer)];
  const last = segments.pop() ?? "";
  const parent = segments.reduce<unknown>((current, name) => Reflect.get(Object(current), name), document);
  if (!isJsonObject(parent) && !Array.isArray(parent)) throw new Error(`there is nothing at ${pointer}`);
  Object.assign(parent, { [last]: value });
  try {
    modelOf(document);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "accepted";
}

const [method] = createDocument().methods;
const note = "/components/schemas/Note";

describe("a document that cannot be generated from is refused with a pointer", () => {
  it.each([
    ["is no OpenRPC", "/methods", {}, "#/methods: not OpenRPC 1.3: must be array"],
    ["has an unknown version", "/openrpc", "9.0.0", "#/openrpc: not OpenRPC 1.3: must be equal to one of"],
    [
      "has a member OpenRPC does not know",
      "/info/titel",
      "x",
      '#/info/titel: not OpenRPC 1.3: unknown member: "titel"; did you mean "title"?',
    ],
    [
      "uses a keyword the validators lack",
      "/components/schemas/Color/oneOf",
      [true],
      '#/components/schemas/Color/oneOf: the schema keyword "oneOf" is not supported; did you mean "anyOf"?',
    ],
    [
      "puts a keyword beside a reference",
      `${note}/properties/color/type`,
      "string",
      `#${note}/properties/color/type: beside $ref only a description is read`,
    ],
    [
      "refers to nothing",
      `${note}/properties/color`,
      { $ref: "#/components/schemas/Colour" },
      `#${note}/properties/color/$ref: unknown schema: Colour`,
    ],
    [
      "refers to another file",
      `${note}/properties/color`,
      { $ref: "color.json" },
      `#${note}/properties/color/$ref: a reference must begin with #/components/schemas/`,
    ],
    [
      "requires a member it does not describe",
      `${note}/required`,
      ["size"],
      `#${note}/required: "size" is required but has no schema`,
    ],
    [
      "has items of several schemas",
      `${note}/properties/inside/items`,
      [true],
      `#${note}/properties/inside/items: one`,
    ],
    [
      "names a schema that makes no type",
      "/components/schemas/a-b",
      true,
      '#/components/schemas/a-b: "a-b" cannot name a type; write it in PascalCase',
    ],
    [
      "spells out a schema whose name is taken",
      "/components/schemas/DeleteParams",
      true,
      "#/methods/1/params/0/schema: the name DeleteParams is already in use by #/components/schemas/DeleteParams",
    ],
    [
      "has a method with two parameters",
      "/methods/1/params/1",
      { name: "second", schema: true },
      "#/methods/1/params: a method takes exactly one parameter, an object",
    ],
    [
      "has two methods of one name in TypeScript",
      "/methods/2",
      { ...method, name: "notes_add_note" },
      "#/methods/2/name: the method notes_add_note would become the function notesAddNote, like the method notes.add-note at #/methods/0/name; rename one of them",
    ],
    [
      "explains an error that is not declared",
      "/components/errors",
      {},
      "#/x-errors/NoteTooLong: not an error of components/errors",
    ],
    [
      "has an example that breaks its schema",
      "/methods/0/examples/0/result/value/text",
      1,
      "#/methods/0/examples/0/result/value/text: the example does not fit its schema: must be string",
    ],
    [
      "has an example of error data that breaks its schema",
      "/components/errors/NoteTooLong/data/longest",
      "x",
      "#/components/errors/NoteTooLong/data/longest: the example does not fit its schema: must be integer",
    ],
    ["polls without final states", "/methods/0/x-poll", { request: {} }, "#/methods/0/x-poll: x-poll needs"],
    [
      "pages by something that is no pointer",
      "/methods/0/x-page",
      { request: { size: "size" }, result: { rows: "/rows" } },
      "#/methods/0/x-page/request: must be an object of JSON pointers; begin each with /",
    ],
  ])("when it %s", (_, pointer, value, want) => expect(refusal(pointer, value)).toContain(want));
});

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
