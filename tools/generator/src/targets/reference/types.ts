import type { Model, NamedSchema, SchemaNode } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { constraintText } from "../../schema-text.ts";
import { heading, page, prose } from "./markdown.ts";
import { membersTable } from "./members.ts";
import { typeWords } from "./type-words.ts";

/** All named types. */
export function typesPage(model: Model): OutputFile {
  const sections = model.schemas.map((schema) => typeSection(model, schema));
  return {
    path: "types.md",
    text: page(["# Types", "Every named type of the interface, as it travels in JSON.", ...sections]),
  };
}

function typeSection(model: Model, { name, schema }: NamedSchema): string {
  const blocks = [heading(2, name, schema.pointer), ...typeBlocks(model, schema)];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Describes a named type, below its heading. */
export function typeBlocks(model: Model, schema: SchemaNode): readonly string[] {
  const members = membersTable(model, schema, "");
  const type = members === "" ? `Type: ${typeWords(schema, "")}.` : "";
  return [prose(schema.description ?? ""), type, prose(constraintText(schema)), members];
}
