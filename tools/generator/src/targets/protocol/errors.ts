import { StructureKind } from "ts-morph";
import { width } from "../../layout.ts";
import type { ErrorModel, MethodModel, Model } from "../../model.ts";
import { errorTypeName, failureType } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { declarationComment, referenceLink } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { literal } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant, type Statement, typeAlias } from "../../typescript/statement.ts";

/** Generates a type for each error, a union of errors for each method, and the table of codes by name. */
export function errorsFile(model: Model): OutputFile {
  const imports = createImports();
  const errors = model.errors.map((error) => errorInterface(error, imports));
  return sourceFile("errors.ts", imports, [...errors, ...model.methods.map(failureUnion), errorCodes(model)]);
}

function errorInterface(error: ErrorModel, imports: Imports): Statement {
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

function failureUnion(method: MethodModel): Statement {
  const names = method.errors.map((error) => errorTypeName(error.name));
  const text = `Errors that \`${method.name}\` declares.`;
  const docs = declarationComment([text], `${method.pointer}/errors`);
  return typeAlias(failureType(method.stem), names.length === 0 ? ["never"] : [...new Set(names)], docs);
}

function errorCodes(model: Model): Statement {
  const codes = Object.fromEntries(model.errors.map(({ name, code }) => [name, code]));
  return constant({
    name: "errorCodes",
    initializer: `${literal(codes, width)} as const`,
    docs: declarationComment(["Codes of the declared errors, by name."], "/components/errors"),
  });
}
