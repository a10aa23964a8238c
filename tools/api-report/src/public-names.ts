import type { ts } from "ts-morph";
import { type DeclarationFile, pathOfModule, readDeclarationFile, type Source } from "./declaration-file.ts";

/** A declaration with its file, where its names are looked up. */
export interface Declared {
  readonly file: DeclarationFile;
  readonly name: string;
  readonly statements: readonly ts.Statement[];
}

/** The target of an exported name: a declaration of the package, or a name of another package. */
export type PublicName = Declared | Source;

export const isDeclared = (found: PublicName): found is Declared => "statements" in found;

/** Reads the declaration files of a package, each once. */
export interface Declarations {
  /** Returns the names that a file exports, with those of its `export *`. */
  exportsOf(path: string): ReadonlyMap<string, PublicName>;
  /** Returns the statements of a file that export everything of another package. */
  starsOf(path: string): readonly string[];
  /** Returns the declaration of a name in a file; undefined for names of the language and of its libraries. */
  find(file: DeclarationFile, name: string): PublicName | undefined;
  /** Returns the declaration of an exported name of a module. */
  findIn(file: DeclarationFile, source: Source): PublicName | undefined;
}

export function createDeclarations(): Declarations {
  const files = new Map<string, DeclarationFile>();
  const read = (path: string): DeclarationFile => {
    const file = files.get(path) ?? readDeclarationFile(path);
    files.set(path, file);
    return file;
  };
  const findIn = (file: DeclarationFile, source: Source): PublicName | undefined => {
    const path = pathOfModule(file.path, source.module);
    return path === undefined || source.name === "*" ? source : exportsOf(path).get(source.name);
  };
  const find = (file: DeclarationFile, name: string): PublicName | undefined => {
    const statements = file.declarations.get(name);
    if (statements !== undefined) return { file, name, statements };
    const source = file.imports.get(name);
    return source === undefined ? undefined : findIn(file, source);
  };
  const exportsOf = (path: string): ReadonlyMap<string, PublicName> => {
    const file = read(path);
    const found = new Map<string, PublicName>();
    for (const { module } of file.stars) {
      const other = pathOfModule(path, module);
      if (other !== undefined) for (const [name, one] of exportsOf(other)) if (name !== "default") found.set(name, one);
    }
    for (const [name, source] of file.exports) {
      const one = typeof source === "string" ? find(file, source) : findIn(file, source);
      if (one === undefined) throw new Error(`Unknown export of ${path}: ${name}; build the package again`);
      found.set(name, one);
    }
    return found;
  };
  const starsOf = (path: string): readonly string[] =>
    read(path).stars.flatMap(({ module, text }) => {
      const other = pathOfModule(path, module);
      return other === undefined ? [text] : starsOf(other);
    });
  return { exportsOf, starsOf, find, findIn };
}
