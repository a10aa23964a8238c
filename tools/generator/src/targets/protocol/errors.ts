import { type StatementStructures, StructureKind, VariableDeclarationKind } from "ts-morph";
import type { ErrorModel, MethodModel, Model } from "../../model.ts";
import { errorTypeName, failureType } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { referenceLink } from "../../typescript/reference-link.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { aliasUnion } from "../../typescript/union.ts";

/** A type for each error, a union of them for each method, and the codes by name. */
export function errorsFile(model: Model): OutputFile {
  const imports = createImports();
  const errors = model.errors.map((error) => errorInterface(error, imports));
  return sourceFile("errors.ts", imports, [...errors, ...model.methods.map(failureUnion), errorCodes(model)]);
}

function errorInterface(error: ErrorModel, imports: Imports): StatementStructures {
  const { name, pointer, code, description, hint, data, httpStatus } = error;
  const type = data === undefined ? "unknown" : imports.type("./types.ts", data);
  const status = httpStatus === undefined ? "" : `HTTP status ${httpStatus}.`;
  return {
    kind: StructureKind.Interface,
    name: errorTypeName(name),
    isExported: true,
    properties: [
      { name: "code", type: String(code), isReadonly: true },
      { name: "message", type: "string", isReadonly: true },
      { name: "data", type, isReadonly: true, hasQuestionToken: data === undefined },
    ],
    docs: [
      declarationComment([description, hint ?? "", status], pointer, [
        referenceLink(`errors.md#${name.toLowerCase()}`),
      ]),
    ],
  };
}

function failureUnion(method: MethodModel): StatementStructures {
  const name = failureType(method.stem);
  const names = method.errors.map((error) => errorTypeName(error.name));
  return {
    kind: StructureKind.TypeAlias,
    name,
    isExported: true,
    type: names.length === 0 ? "never" : aliasUnion(name, names),
    docs: [
      declarationComment(
        [`What \`${method.name}\` declares to answer with when it fails.`],
        `${method.pointer}/errors`,
      ),
    ],
  };
}

function errorCodes(model: Model): StatementStructures {
  const codes = Object.fromEntries(model.errors.map(({ name, code }) => [name, code]));
  return {
    kind: StructureKind.VariableStatement,
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    declarations: [{ name: "errorCodes", initializer: `${literal(codes, 200)} as const` }],
    docs: [declarationComment(["The code of each declared error, by its name."], "/components/errors")],
  };
}
