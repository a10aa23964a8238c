import type { Model, NamedSchema } from "../../model.ts";
import { camelCase } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant, type Statement } from "../../typescript/statement.ts";

/** Generates the defaults of the members of each schema that has any. */
export function defaultsFile(model: Model): OutputFile {
  return sourceFile("defaults.ts", createImports(), model.schemas.flatMap(defaultsConstant));
}

function defaultsConstant({ name, schema }: NamedSchema): Statement[] {
  const members = schema.properties.flatMap((property) => {
    const { default: preset } = property.schema;
    return preset === undefined ? [] : [[property.name, preset.value]];
  });
  if (members.length === 0) return [];
  return [
    constant({
      name: `${camelCase(name)}Defaults`,
      initializer: `${literal(Object.fromEntries(members))} as const`,
      docs: declarationComment([`Defaults of the members of \`${name}\`.`], schema.pointer),
    }),
  ];
}
