import { StructureKind } from "ts-morph";
import { limitsName, type OutputFile, provenance } from "../../output-file.ts";
import { defaultWords, type ServiceLimit } from "../../service-limits.ts";
import { docComment } from "../../typescript/doc-comment.ts";
import { createImports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/** Generates the limits as an interface for callers, and as the table that checks their values. */
export function limitsFile(limits: readonly ServiceLimit[]): OutputFile {
  const imports = createImports();
  const comment = (text: string) => docComment([text], [provenance("/limits", limitsName)]);
  return sourceFile(
    "limits.ts",
    imports,
    [
      {
        kind: StructureKind.Interface,
        name: "ServerLimits",
        isExported: true,
        docs: [comment("Limits of the service. Each member is optional and has a default.")],
        properties: limits.map((limit) => ({
          name: limit.name,
          type: "number",
          isReadonly: true,
          hasQuestionToken: true,
          docs: [docComment([`${limit.text} Unit: ${limit.unit}.`], [`@default ${defaultWords(limit)}`], 2)],
        })),
      },
      constant({
        name: "limitTable",
        initializer: `${literal(Object.fromEntries(limits.map(({ name, pointer: _, ...limit }) => [name, limit])))} as const`,
        docs: comment("Schema, default, unit and text of each limit."),
      }),
    ],
    limitsName,
  );
}
