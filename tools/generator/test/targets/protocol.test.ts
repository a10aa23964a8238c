import { describe, expect, it } from "vitest";
import { protocol } from "../../src/targets/protocol/target.ts";
import { createDocument } from "../support/document.ts";
import { outputOf } from "./support.ts";

const output = outputOf(protocol);

describe("types", () => {
  it("are interfaces for objects, with units, bounds and defaults in their comments", () => {
    expect(output["types.ts"]).toContain(`/**
 * The note to add.
 *
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/types.md#addnoteparams
 * @generated from spec/openrpc.json#/components/schemas/AddNoteParams
 */
export interface AddNoteParams {
  /**
   * What it says.
   *
   * From 1 to 400 characters.
   */
  readonly text: string;
`);
    expect(output["types.ts"]).toContain("/** Row. Unit: rows. From 0 to 9. Default: 0. */");
    expect(output["types.ts"]).toContain("readonly note?: Note | undefined;");
  });

  it("carry deprecation, of types, members and members of objects in place", () => {
    const document = createDocument();
    const { AddNoteParams, Note } = document.components.schemas;
    Object.assign(Note, { deprecated: true });
    Object.assign(AddNoteParams.properties.text, { deprecated: true });
    Object.assign(AddNoteParams.properties.place.properties.row, { deprecated: true });
    const types = outputOf(protocol, document)["types.ts"];
    expect(types).toContain(" * A note, with notes inside.\n *\n * @deprecated\n");
    expect(types).toContain("   * From 1 to 400 characters.\n   *\n   * @deprecated\n");
    expect(types).toMatch(/Default: 0\.\n +\* @deprecated\n/);
  });

  it("take no tag from a description", () => {
    const document = createDocument();
    document.components.schemas.Note.description = "@deprecated is a tag.";
    document.components.schemas.AddNoteParams.properties.place.properties.row.description = "@internal";
    const types = outputOf(protocol, document)["types.ts"];
    expect(types).toContain(" * \\@deprecated is a tag.\n");
    expect(types).toContain("/** \\@internal Unit");
  });

  it("are aliases for all else", () => {
    expect(output["types.ts"]).toContain('export type Color = "RED" | "BLUE" | (string & {});');
    expect(output["types.ts"]).toContain("export type DeleteResult = boolean | null;");
  });
});

describe("errors", () => {
  it("have a type each, a union a method, and their codes by name", () => {
    expect(output["errors.ts"]).toContain(
      "export interface NoteTooLongError {\n  readonly code: -32010;\n  readonly message: string;\n  readonly data: NoteTooLongData;\n}",
    );
    expect(output["errors.ts"]).toContain(
      "readonly code: -32011;\n  readonly message: string;\n  readonly data?: unknown;",
    );
    expect(output["errors.ts"]).toContain("export type NotesAddNoteFailure = NoteTooLongError | BoardIsFullError;");
    expect(output["errors.ts"]).toContain("export type DeleteFailure = never;");
    expect(output["errors.ts"]).toContain(
      "export const errorCodes = {\n  NoteTooLong: -32010,\n  BoardIsFull: -32011,\n} as const;",
    );
  });
});

describe("members that are objects in place", () => {
  it("are indented like any other, with their comments", () => {
    expect(output["types.ts"]).toContain(`  /** Where it goes. */
  readonly place?: {
    /** Row. Unit: rows. From 0 to 9. Default: 0. */
    readonly row?: number | undefined;
    /** Side. */
    readonly side?: "left" | "right" | undefined;
  } | undefined;
`);
  });
});

describe("methods", () => {
  it("are one pure call each, under a name that TypeScript allows", () => {
    expect(output["methods.ts"]).toContain(
      `export const notesAddNote: Method<AddNoteParams, Note, NotesAddNoteFailure> =
  /*@__PURE__*/ method(
    "notes.add-note",
    { [-32010]: "NoteTooLong", [-32011]: "BoardIsFull" },
    { repeatable: "cancels" },
  );`,
    );
    expect(output["methods.ts"]).toContain(
      `export const deleteMethod: Method<DeleteParams, DeleteResult, DeleteFailure> =
  /*@__PURE__*/ method("delete", {}, { canceler: () => notesAddNote });`,
    );
  });

  it("know from the document how they are called", () => {
    const { methods, ...document } = createDocument();
    const [, method] = methods;
    const schema = { type: "object", properties: { id: { type: "string" }, seconds: { type: "integer" } } };
    const params = [{ name: "request", schema }];
    const result = { name: "result", schema: { type: "object", properties: { state: { type: "string" } } } };
    const places = { request: { id: "/id", wait: "/seconds" }, result: { state: "/state" } };
    const poll = { ...places, final: ["DONE", "LOST"], success: ["DONE"] };
    const page = { request: { size: "/seconds" }, result: { columns: "/names" } };
    const link = (name: string) => ({ name, method: name, params: { request: {} } });
    const names = { name: "result", schema: { type: "object", properties: { names: { type: "array" } } } };
    const text = outputOf(protocol, {
      ...document,
      methods: [
        ...methods,
        { ...method, name: "begin", params, links: ["look", "watch"].map(link) },
        { ...method, name: "look", params, result, "x-poll": poll, "x-read-only": true },
        { ...method, name: "watch", params, result, "x-poll": poll, "x-read-only": true },
        { ...method, name: "turn", params, result: names, "x-page": page, "x-read-only": true },
      ],
    })["methods.ts"];
    expect(text).toContain('method("begin", {}, { wait: "seconds" })');
    expect(text).toContain("export const look: PolledMethod<");
    expect(text).toContain('{ repeatable: "reads", wait: "seconds", final: { DONE: true, LOST: false } }');
    expect(text).toContain('method("turn", {}, { repeatable: "reads", pages: true })');
  });

  it("describe methods, their errors and their source", () => {
    expect(output["methods.ts"]).toContain(`/**
 * Add a note.
 *
 * Adds a note at its place.
 *
 * Errors: NoteTooLong (-32010), BoardIsFull (-32011).
 *
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/notes-add-note.md
 * @generated from spec/openrpc.json#/methods/0
 */`);
  });
});

describe("validators", () => {
  it("are tables that may speak of themselves", () => {
    expect(output["validators.ts"]).toContain('inside: { type: "array", items: { ref: () => noteTable } },');
    expect(output["validators.ts"]).toContain(
      "export const notesAddNoteParams: Schema<AddNoteParams> = /*@__PURE__*/ validator(addNoteParamsTable);",
    );
  });

  it("omit descriptions, and schemas that no method reaches", () => {
    expect(output["validators.ts"]).not.toMatch(/description|Buy milk|noteTooLongData/);
  });
});

describe("the contract", () => {
  it("has the methods by their names on the wire", () => {
    expect(output["contract.ts"]).toContain(
      `  "notes.add-note": {
    descriptor: methods.notesAddNote,
    params: validators.notesAddNoteParams,
    result: validators.notesAddNoteResult,
  },`,
    );
  });
});
