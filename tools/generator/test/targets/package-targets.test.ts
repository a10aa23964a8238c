import { expect, it } from "vitest";
import { cli } from "../../src/targets/cli/target.ts";
import { mockServer } from "../../src/targets/mock-server/target.ts";
import { createDocument } from "../support/document.ts";
import { outputOf } from "./support.ts";

it("the help of a deprecated method says so", () => {
  const { methods, ...document } = createDocument();
  const deprecated = methods.map((method) => ({ ...method, deprecated: method.name === "delete" }));
  const commands = outputOf(cli, { ...document, methods: deprecated })["commands.ts"];
  expect(commands?.match(/brief: "Deprecated\. .*"/g)).toEqual(['brief: "Deprecated. delete"']);
});

it("the mock answers with the first example, or a value that fits the schema", () => {
  const defaults = outputOf(mockServer)["defaults.ts"];
  expect(defaults).toContain('export const notesAddNoteDefault: Note = {\n  text: "Buy milk",\n  inside: [],\n};');
  expect(defaults).toContain("export const deleteMethodDefault: DeleteResult = false;");
});
