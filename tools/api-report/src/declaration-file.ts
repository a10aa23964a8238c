import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ts } from "ts-morph";

/** Where a name comes from: another module, and its name there. `*` is the module itself. */
export interface Source {
  readonly module: string;
  readonly name: string;
}

/** A built declaration file (`.d.ts`). */
export interface DeclarationFile {
  readonly path: string;
  readonly source: ts.SourceFile;
  /** Declarations by their names. Overloads and merged declarations have one name. */
  readonly declarations: ReadonlyMap<string, readonly ts.Statement[]>;
  readonly imports: ReadonlyMap<string, Source>;
  /** Exported names with their names in this file, or with the module that they come from. */
  readonly exports: ReadonlyMap<string, string | Source>;
  /** Statements `export * from` and `export type * from`. */
  readonly stars: readonly { readonly module: string; readonly text: string }[];
}

export function readDeclarationFile(path: string): DeclarationFile {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const declarations = new Map<string, ts.Statement[]>();
  const imports = new Map<string, Source>();
  const exports = new Map<string, string | Source>();
  const stars: { module: string; text: string }[] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) readImport(statement, imports);
    else if (ts.isExportDeclaration(statement)) {
      const module = textOf(statement.moduleSpecifier);
      const clause = statement.exportClause;
      if (clause === undefined) stars.push({ module: module ?? "", text: statement.getText() });
      else if (ts.isNamespaceExport(clause)) exports.set(clause.name.text, { module: module ?? "", name: "*" });
      else
        for (const { name, propertyName } of clause.elements) {
          const original = (propertyName ?? name).text;
          exports.set(name.text, module === undefined ? original : { module, name: original });
        }
    } else {
      const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport) === true;
      for (const name of namesOf(statement)) {
        declarations.set(name, [...(declarations.get(name) ?? []), statement]);
        if (isExported) exports.set(name, name);
      }
    }
  }
  return { path, source, declarations, imports, exports, stars };
}

const isExport = ({ kind }: ts.ModifierLike) => kind === ts.SyntaxKind.ExportKeyword;
const textOf = (node: ts.Expression | undefined) =>
  node !== undefined && ts.isStringLiteral(node) ? node.text : undefined;

function readImport({ moduleSpecifier, importClause }: ts.ImportDeclaration, imports: Map<string, Source>): void {
  const module = textOf(moduleSpecifier) ?? "";
  if (importClause?.name !== undefined) imports.set(importClause.name.text, { module, name: "default" });
  const bindings = importClause?.namedBindings;
  if (bindings === undefined) return;
  if (ts.isNamespaceImport(bindings)) imports.set(bindings.name.text, { module, name: "*" });
  else
    for (const { name, propertyName } of bindings.elements)
      imports.set(name.text, { module, name: (propertyName ?? name).text });
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isEnumDeclaration(statement) ||
    ts.isModuleDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

/** Returns the declaration file of a relative module; undefined for a module of another package. */
export function pathOfModule(from: string, module: string): string | undefined {
  return module.startsWith(".") ? join(dirname(from), module.replace(/\.[jt]sx?$/, ".d.ts")) : undefined;
}
