import { describe, expect, it } from "vitest";
import { createDocument } from "./support/document.ts";
import { modelOf } from "./support/model.ts";

type Document = ReturnType<typeof createDocument> & Record<string, unknown>;

/** The message for the document after a change that makes it unfit. */
function refusal(change: (document: Document) => void): string {
  const document: Document = createDocument();
  change(document);
  try {
    modelOf(document);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "accepted";
}

describe("a document that cannot be generated from is refused with a pointer", () => {
  const table: readonly (readonly [what: string, change: (document: Document) => void, want: RegExp])[] = [
    [
      "is no OpenRPC",
      (document) => Object.assign(document, { methods: {} }),
      /^#\/methods: not OpenRPC 1\.3: must be array/,
    ],
    [
      "has an unknown version",
      (document) => Object.assign(document, { openrpc: "9.0.0" }),
      /^#\/openrpc: not OpenRPC 1\.3: .*1\.3\.2/,
    ],
    [
      "has a member OpenRPC does not know",
      (document) => Object.assign(document.info, { titel: "x" }),
      /^#\/info: not OpenRPC 1\.3: must NOT have additional properties \(titel\)/,
    ],
    [
      "uses a keyword the validators lack",
      (document) => Object.assign(document.components.schemas.Color, { oneOf: [true] }),
      /^#\/components\/schemas\/Color\/oneOf: the schema keyword "oneOf" is not supported; use one of .*anyOf/,
    ],
    [
      "puts a keyword beside a reference",
      (document) => Object.assign(document.components.schemas.Note.properties.color, { type: "string" }),
      /^#\/components\/schemas\/Note\/properties\/color\/type: beside \$ref/,
    ],
    [
      "refers to nothing",
      (document) =>
        Object.assign(document.components.schemas.Note.properties.color, { $ref: "#/components/schemas/Colour" }),
      /^#\/components\/schemas\/Note\/properties\/color\/\$ref: there is no schema Colour/,
    ],
    [
      "refers to another file",
      (document) => Object.assign(document.components.schemas.Note.properties.color, { $ref: "color.json" }),
      /^#\/components\/schemas\/Note\/properties\/color\/\$ref: a reference must begin with/,
    ],
    [
      "requires a member it does not describe",
      (document) => document.components.schemas.Note.required.push("size"),
      /^#\/components\/schemas\/Note\/required: "size" is required/,
    ],
    [
      "names a schema that makes no type",
      (document) => Object.assign(document.components.schemas, { "a-b": { type: "string" } }),
      /^#\/components\/schemas\/a-b: "a-b" cannot name a type/,
    ],
    [
      "spells out a schema whose name is taken",
      (document) => Object.assign(document.components.schemas, { DeleteParams: { type: "string" } }),
      /^#\/methods\/1\/params\/0\/schema: the name DeleteParams is already taken/,
    ],
    [
      "has a method with two parameters",
      (document) => duplicateParameter(document),
      /^#\/methods\/1\/params: a method takes exactly one/,
    ],
    [
      "has two methods of one name in TypeScript",
      (document) => Object.assign(document.methods, { 2: { ...document.methods[0], name: "notes_add_note" } }),
      /^#\/methods\/2: the method notes_add_note would be named notesAddNote, like notes\.add-note at #\/methods\/0/,
    ],
    [
      "names an error that is not declared",
      (document) => Object.assign(document.components, { errors: {} }),
      /^#\/x-errors\/NoteTooLong: there is no such error/,
    ],
    [
      "has an example that breaks its schema",
      (document) => Object.assign(document.methods[0]?.examples?.[0]?.result ?? {}, { value: { text: 1, inside: [] } }),
      /^#\/methods\/0\/examples\/0\/result\/value\/text: the example does not fit its schema: must be string/,
    ],
    [
      "has an example of error data that breaks its schema",
      (document) => Object.assign(document.components.errors.NoteTooLong, { data: { longest: "x" } }),
      /^#\/components\/errors\/NoteTooLong\/data\/longest: the example does not fit/,
    ],
    [
      "polls without final states",
      (document) => Object.assign(document.methods[0] ?? {}, { "x-poll": { request: {} } }),
      /^#\/methods\/0\/x-poll: x-poll needs/,
    ],
    [
      "pages by something that is no pointer",
      (document) =>
        Object.assign(document.methods[0] ?? {}, {
          "x-page": { request: { size: "size" }, result: { rows: "/rows" } },
        }),
      /^#\/methods\/0\/x-page\/request: must be an object of JSON pointers/,
    ],
  ];

  it.each(table)("when it %s", (_, change, want) => expect(refusal(change)).toMatch(want));
});

function duplicateParameter(document: Document): void {
  const params: unknown[] = document.methods[1]?.params ?? [];
  params.push({ name: "second", schema: true });
}

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
