import { importsOf, manifest, packageNames, sourceFiles } from "./tree.ts";

/** An import of one package by a file of another. */
export interface PackageImport {
  readonly file: string;
  readonly target: string;
  /** True if the package is loaded by `import()`. */
  readonly lazy: boolean;
}

/**
 * Returns the name of a package without its scope; undefined if the specifier names no package of this tree. The build
 * of `query-options` is copied into the packages that import it, as `#query-options/…`.
 */
export const packageOf = (specifier: string): string | undefined =>
  specifier.match(/^(?:@quern\/|#(?=query-options))([^/]+)/)?.[1];

/** Returns the source files of a package, including generated ones. */
export function packageFiles(name: string): string[] {
  return [`${name}/src`, `${name}/src/generated`, `${name}/bin`].flatMap((folder) => sourceFiles(`packages/${folder}`));
}

/** Returns the imports of other packages by the files of a package. */
export function packageImports(name: string): PackageImport[] {
  return packageFiles(name).flatMap((file) =>
    importsOf(file).flatMap(({ specifier, lazy }) => {
      const target = packageOf(specifier);
      return target === undefined || target === name ? [] : [{ file, target, lazy }];
    }),
  );
}

export interface PackageArrow {
  readonly from: string;
  readonly to: string;
  /** True if the package is loaded by `import()` only. */
  readonly lazy: boolean;
}

/** Returns the arrows between the packages of the tree, one for each pair, in the order of their names. */
export function packageArrows(): PackageArrow[] {
  return packageNames().flatMap((from) => {
    const imports = packageImports(from);
    const targets = new Set(imports.map(({ target }) => target));
    // `spec` is data: a package that reads its files by path has it as a dependency and no import of it.
    if (manifest(`packages/${from}`).dependencies?.["@quern/spec"] !== undefined) targets.add("spec");
    const lazy = (to: string) =>
      imports.some(({ target }) => target === to) && imports.every((one) => one.target !== to || one.lazy);
    return [...targets].sort().map((to) => ({ from, to, lazy: lazy(to) }));
  });
}
