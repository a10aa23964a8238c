import type { Model, NamedSchema } from "../../model.ts";
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
  const members = membersTable(model, schema, "");
  const type = members === "" ? `Type: ${typeWords(schema, "")}.` : "";
  return [
    heading(2, name, schema.pointer),
    prose(schema.description ?? ""),
    type,
    prose(constraintText(schema)),
    members,
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}
