import type { Model, NamedSchema } from "../../model.ts";
import type { OutputFile } from "../../output-file.ts";
import { constraintText } from "../../schema-text.ts";
import { declarationComment, docComment, referenceLink } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { interfaceOf, type Member, type Statement, typeAlias } from "../../typescript/statement.ts";
import { alternatives, propertyText, typeMembers } from "../../typescript/type-text.ts";

/** Generates a type for each named schema: an interface for an object with members, otherwise an alias. */
export function typesFile(model: Model): OutputFile {
  return sourceFile("types.ts", createImports(), model.schemas.map(declaration));
}

function declaration({ name, schema }: NamedSchema): Statement {
  const see = referenceLink(`types.md#${name.toLowerCase()}`);
  const tags = [...(schema.deprecated ? ["@deprecated"] : []), see];
  const paragraphs = [schema.description ?? schema.title ?? "", constraintText(schema)];
  const docs = declarationComment(paragraphs, schema.pointer, tags);
  const isInterface = schema.types.length === 1 && schema.types[0] === "object" && schema.properties.length > 0;
  if (!isInterface) return typeAlias(name, alternatives(typeMembers(schema)), docs);
  const members = schema.properties.map((property): Member => {
    const { name: key, type, isOptional } = propertyText(property);
    const { description = "", deprecated } = property.schema;
    const comment = docComment([description, constraintText(property.schema)], deprecated ? ["@deprecated"] : [], 2);
    const text = `readonly ${key}${isOptional ? "?" : ""}: ${type};`;
    return { text, docs: comment.description === "" ? undefined : comment };
  });
  return interfaceOf(name, members, docs);
}
