import { ts } from "ts-morph";
import type { Source } from "./declaration-file.ts";
import { type Declarations, type Declared, isDeclared, type PublicName } from "./public-names.ts";

/**
 * Returns the declarations that others use without being among them, in the order of their names: the types of members,
 * parameters and results that no entry point exports.
 */
export function hiddenDeclarations(visible: readonly Declared[], declarations: Declarations): readonly Declared[] {
  const keyOf = ({ file, name }: Declared) => `${name} ${file.path}`;
  const seen = new Map(visible.map((one) => [keyOf(one), one]));
  const next = [...visible];
  for (let one = next.pop(); one !== undefined; one = next.pop())
    for (const used of usesOf(one, declarations)) {
      if (!isDeclared(used) || seen.has(keyOf(used))) continue;
      seen.set(keyOf(used), used);
      next.push(used);
    }
  const known = new Set(visible.map(keyOf));
  return [...seen]
    .filter(([key]) => !known.has(key))
    .sort(byKey)
    .map(([, one]) => one);
}

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1);

/** Returns the names of other packages that declarations use, by their modules. */
export function importsOf(all: readonly Declared[], declarations: Declarations): readonly Source[] {
  const found = all.flatMap((one) => usesOf(one, declarations).flatMap((used) => (isDeclared(used) ? [] : [used])));
  const byText = found.map((source): [string, Source] => [`${source.module} ${source.name}`, source]);
  return [...new Map(byText)].sort(byKey).map(([, source]) => source);
}

function usesOf({ file, statements }: Declared, declarations: Declarations): readonly PublicName[] {
  const found: PublicName[] = [];
  const add = (used: PublicName | undefined) => {
    if (used !== undefined) found.push(used);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) add(declarations.find(file, leftmost(node.typeName)));
    else if (ts.isTypeQueryNode(node) && !ts.isImportTypeNode(node.exprName))
      add(declarations.find(file, leftmost(node.exprName)));
    else if (ts.isExpressionWithTypeArguments(node) && ts.isIdentifier(node.expression))
      add(declarations.find(file, node.expression.text));
    else if (ts.isComputedPropertyName(node) && ts.isIdentifier(node.expression))
      add(declarations.find(file, node.expression.text));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const { literal } = node.argument;
      const name = node.qualifier === undefined ? "*" : leftmost(node.qualifier);
      if (ts.isStringLiteral(literal)) add(declarations.findIn(file, { module: literal.text, name }));
    }
    ts.forEachChild(node, visit);
  };
  for (const statement of statements) visit(statement);
  return found;
}

function leftmost(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : leftmost(name.left);
}
