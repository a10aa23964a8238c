import type { Model, NamedSchema, SchemaNode } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { constraintText } from "../../schema-text.ts";
import { heading, page, prose } from "./markdown.ts";
import { membersTable } from "./members.ts";
import { typeWords } from "./type-words.ts";

/** Generates the page of named types. */
export function typesPage(model: Model): OutputFile {
  const sections = model.schemas.map((schema) => typeSection(model, schema));
  return {
    path: "types.md",
    text: page(["# Types", "Named JSON types of the interface.", ...sections]),
  };
}

function typeSection(model: Model, { name, schema }: NamedSchema): string {
  const blocks = [heading(2, name, schema.pointer), ...typeBlocks(model, schema)];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Returns the blocks below the heading of a named type. */
export function typeBlocks(model: Model, schema: SchemaNode): readonly string[] {
  const members = membersTable(model, schema, "");
  const type = members === "" ? `Type: ${typeWords(schema, "")}.` : "";
  return [prose(schema.description ?? ""), type, prose(constraintText(schema)), members];
}
