import { type ImportDeclarationStructure, StructureKind, type WriterFunction } from "ts-morph";
import { width } from "../layout.ts";

/**
 * Imports of one file, collected while its statements are created. `type`, `value` and `namespace` return the name to
 * write.
 */
export interface Imports {
  type(module: string, name: string): string;
  value(module: string, name: string): string;
  /** `import * as name from module` */
  namespace(module: string, name: string): string;
  structures(): readonly ImportDeclarationStructure[];
}

export function createImports(): Imports {
  const names = new Map<string, Map<string, { readonly isTypeOnly: boolean }>>();
  const namespaces = new Map<string, string>();

  function add(module: string, name: string, isTypeOnly: boolean): string {
    const known = names.get(module) ?? new Map<string, { readonly isTypeOnly: boolean }>();
    names.set(module, known);
    if (known.get(name)?.isTypeOnly !== false) known.set(name, { isTypeOnly });
    return name;
  }

  return {
    type: (module, name) => add(module, name, true),
    value: (module, name) => add(module, name, false),
    namespace(module, name) {
      namespaces.set(module, name);
      return name;
    },
    structures() {
      const named = [...names].map(([module, members]) => namedImport(module, members));
      const whole = [...namespaces].map(
        ([moduleSpecifier, namespaceImport]): ImportDeclarationStructure => ({
          kind: StructureKind.ImportDeclaration,
          moduleSpecifier,
          namespaceImport,
        }),
      );
      return [...whole, ...named].sort((one, other) => compare(one.moduleSpecifier, other.moduleSpecifier));
    },
  };
}

/** One name a line if the import is too long, so that a further name is a one-line change. */
function namedImport(
  moduleSpecifier: string,
  members: ReadonlyMap<string, { readonly isTypeOnly: boolean }>,
): ImportDeclarationStructure {
  const sorted = [...members].sort(([one], [other]) => compare(one, other));
  const isTypeOnly = sorted.every(([, member]) => member.isTypeOnly);
  const names = sorted.map(([name, member]) => (member.isTypeOnly && !isTypeOnly ? `type ${name}` : name));
  const line = `import ${isTypeOnly ? "type " : ""}{ ${names.join(", ")} } from "${moduleSpecifier}";`;
  const namedImports: WriterFunction = (writer) => {
    for (const name of names) writer.write(`\n${name},`);
    writer.newLine();
  };
  const isLong = line.length > width;
  return {
    kind: StructureKind.ImportDeclaration,
    moduleSpecifier,
    isTypeOnly,
    namedImports: isLong ? namedImports : names,
  };
}

/** Packages before files, then by code unit, which is the same order on every system. */
function compare(one: string, other: string): number {
  const rank = (name: string) => (name.startsWith(".") ? 1 : 0);
  return rank(one) - rank(other) || (one < other ? -1 : one > other ? 1 : 0);
}
