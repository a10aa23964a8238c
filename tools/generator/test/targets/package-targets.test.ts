import { describe, expect, it } from "vitest";
import { cli } from "../../src/targets/cli/target.ts";
import { client } from "../../src/targets/client/target.ts";
import { mockServer } from "../../src/targets/mock-server/target.ts";
import { react } from "../../src/targets/react/target.ts";
import { server } from "../../src/targets/server/target.ts";
import { createDocument } from "../support/document.ts";
import { outputOf } from "./support.ts";

describe("client", () => {
  const output = outputOf(client);

  it("has a function a method", () => {
    expect(output["methods.ts"]).toContain(
      "export const deleteMethod: MethodFunction<DeleteParams, DeleteResult, DeleteFailure> =\n" +
        "  /*@__PURE__*/ methodFunction(descriptors.deleteMethod);",
    );
  });

  it("names declared and known codes", () => {
    expect(output["error-names.ts"]).toContain(
      '{\n  [-32010]: "NoteTooLong",\n  [-32011]: "BoardIsFull",\n  [-32099]: "NoteNotFound",\n}',
    );
  });
});

describe("react", () => {
  const document = createDocument();
  const [, method] = document.methods;
  const read = { ...method, "x-read-only": true };
  const places = { request: { size: "/size" }, result: { rows: "/rows" } };
  const sized = { type: "object", properties: { id: { type: "string" }, size: { type: "integer" } } };
  const paged = { name: "result", schema: { type: "object", properties: { rows: { type: "array" } } } };
  const methods = [
    ...document.methods,
    { ...method, name: "forget" },
    { ...read, name: "read" },
    { ...read, name: "turnPage", params: [{ name: "request", schema: sized }], result: paged, "x-page": places },
  ];
  const output = outputOf(react, { ...document, methods })["options.ts"];

  it("has an options factory a method that reads", () => {
    expect(output).toContain(
      "export const readOptions: MethodOptions<typeof read> = /*@__PURE__*/ methodOptions(read);",
    );
  });

  it("has query options only for methods that the document marks as read-only", () => {
    expect(output?.match(/export const \w+/g)).toEqual(["export const readOptions", "export const turnPageOptions"]);
  });

  it("keeps a page as long as it is there, because equal calls give equal rows", () => {
    expect(output).toContain("/*@__PURE__*/ methodOptions(turnPage, { staleTime: Infinity });");
  });
});

describe("cli", () => {
  const output = outputOf(cli)["commands.ts"];

  it("has a command a method, with its flags and examples", () => {
    expect(output).toContain(
      'export const notesAddNoteCommand: MethodCommand = {\n  name: "notes-add-note",\n  method: "notesAddNote",',
    );
    expect(output).toContain('{ name: "id", path: ["id"], kind: "string", required: true, brief: "" },');
    expect(output).toContain(
      "line: \"quern notes-add-note --text 'Buy milk' --label 'list=it'\\\\''s' --place-row 3\"",
    );
  });

  it("marks a deprecated method in its help", () => {
    const { methods, ...document } = createDocument();
    const deprecated = methods.map((method) => ({ ...method, deprecated: method.name === "delete" }));
    const briefs = outputOf(cli, { ...document, methods: deprecated })["commands.ts"]?.match(
      /brief: "Deprecated\. .*"/g,
    );
    expect(briefs).toEqual(['brief: "Deprecated. delete"']);
  });

  it("lists them all", () => {
    expect(output).toContain(
      "export const commands: readonly MethodCommand[] = [\n  notesAddNoteCommand,\n  deleteMethodCommand,\n];",
    );
  });
});

describe("server and mock-server", () => {
  it.each([server, mockServer])("$name must perform every method", (target) => {
    expect(outputOf(target)["handlers.ts"]).toContain(
      'readonly "notes.add-note": (params: AddNoteParams, context: Context) => Promise<Note | Preencoded>;',
    );
  });

  it("answer with the first example, or a value that fits the schema", () => {
    const defaults = outputOf(mockServer)["defaults.ts"];
    expect(defaults).toContain('export const notesAddNoteDefault: Note = {\n  text: "Buy milk",\n  inside: [],\n};');
    expect(defaults).toContain("export const deleteMethodDefault: DeleteResult = false;");
    expect(defaults).toContain('"notes.add-note": notesAddNoteDefault,');
  });
});
