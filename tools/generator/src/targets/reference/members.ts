import type { Model, Property, SchemaNode } from "../../model.ts";
import { resolved } from "../../schema-lookup.ts";
import { constraintText } from "../../schema-text.ts";
import { table } from "./markdown.ts";
import { typeWords } from "./type-words.ts";

/**
 * The members of an object as a table. `types` is the way to the types page; `requiredTitle` heads the column of yes
 * and no.
 */
export function membersTable(model: Model, schema: SchemaNode, types: string, requiredTitle = "always there"): string {
  const rows = schema.properties.map((property) => [
    `\`${property.name}\``,
    typeWords(property.schema, types),
    property.required ? "yes" : "no",
    meaning(model, property),
  ]);
  return table(["member", "type", requiredTitle, "meaning"], rows);
}

function meaning(model: Model, { schema }: Property): string {
  const { description = "", deprecated } = resolved(model, schema);
  const examples =
    schema.examples.length === 0
      ? ""
      : `For instance ${schema.examples.map((value) => `\`${JSON.stringify(value)}\``).join(" or ")}.`;
  return [deprecated ? "Deprecated." : "", description, constraintText(schema), examples]
    .filter((text) => text !== "")
    .join(" ");
}
