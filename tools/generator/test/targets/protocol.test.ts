import { expect, it } from "vitest";
import { protocol } from "../../src/targets/protocol/target.ts";
import { createDocument } from "../support/document.ts";
import { outputOf } from "./support.ts";

it("types carry deprecation, of types, members and members of objects in place", () => {
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

it("types take no tag from a description", () => {
  const document = createDocument();
  document.components.schemas.Note.description = "@deprecated is a tag.";
  document.components.schemas.AddNoteParams.properties.place.properties.row.description = "@internal";
  const types = outputOf(protocol, document)["types.ts"];
  expect(types).toContain(" * \\@deprecated is a tag.\n");
  expect(types).toContain("/** \\@internal Unit");
});

it("defaults are those of the members of each schema that has any", () => {
  const document = createDocument();
  Object.assign(document.components.schemas.AddNoteParams.properties.text, { default: "empty" });
  const { "defaults.ts": defaults = "" } = outputOf(protocol, document);
  expect(defaults.match(/^export const .*$/gm)).toEqual([
    'export const addNoteParamsDefaults = { text: "empty" } as const;',
  ]);
});
