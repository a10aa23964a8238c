import type { Model, Property, SchemaNode } from "../../model.ts";
import { resolved } from "../../schema-lookup.ts";
import { codeSpan, constraintText } from "../../schema-text.ts";
import { prose, table } from "./markdown.ts";
import { typeWords } from "./type-words.ts";

/**
 * Returns a table of the members of an object. Members of inline objects follow their parent, as `page.size` or
 * `rows[].id`.
 * @param types Relative path of the types page.
 * @param requiredTitle Title of the column that says `yes` for a required member.
 */
export function membersTable(
  model: Model,
  schema: SchemaNode,
  types: string,
  requiredTitle = "Always present",
): string {
  return table(["Member", "Type", requiredTitle, "Meaning"], memberRows(model, schema, types, ""));
}

function memberRows(model: Model, schema: SchemaNode, types: string, prefix: string): readonly (readonly string[])[] {
  return schema.properties.flatMap((property) => [
    [
      codeSpan(prefix + property.name),
      typeWords(property.schema, types),
      property.required ? "yes" : "no",
      meaning(model, property),
    ],
    ...innerRows(model, property.schema, types, prefix + property.name),
  ]);
}

/** Returns the rows of an inline schema. A named schema has its own table. */
function innerRows(model: Model, schema: SchemaNode, types: string, name: string): readonly (readonly string[])[] {
  const { additionalProperties, anyOf = [], items } = schema;
  return [
    ...memberRows(model, schema, types, `${name}.`),
    ...(items === undefined ? [] : innerRows(model, items, types, `${name}[]`)),
    ...(typeof additionalProperties === "object" ? innerRows(model, additionalProperties, types, `${name}.*`) : []),
    ...anyOf.flatMap((member) => innerRows(model, member, types, name)),
  ];
}

function meaning(model: Model, { schema }: Property): string {
  const { description = "", deprecated } = resolved(model, schema);
  const examples =
    schema.examples.length === 0
      ? ""
      : `Example: ${schema.examples.map((value) => codeSpan(JSON.stringify(value))).join(" or ")}.`;
  return prose(
    [deprecated ? "Deprecated." : "", description, constraintText(schema), examples]
      .filter((text) => text !== "")
      .join(" "),
  );
}
