import type { TreeCopy } from "./tree-copy.ts";

/** Writes a package that uses the others as a user does. @param programs Source files by name. */
export function writeUser(tree: TreeCopy, programs: Readonly<Record<string, string>>): void {
  const lib = ["es2023", "esnext.disposable", "dom"];
  tree.write("packages/user/package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
  tree.write(
    "packages/user/tsconfig.json",
    JSON.stringify({
      extends: "../../tsconfig.base.json",
      compilerOptions: {
        rootDir: "src",
        outDir: "dist",
        types: ["node"],
        lib,
        jsx: "react-jsx",
        declaration: false,
        declarationMap: false,
        // The declarations of happy-dom need another lib than the pinned one.
        skipLibCheck: true,
      },
      include: ["src"],
    }),
  );
  for (const [file, text] of Object.entries(programs)) tree.write(`packages/user/src/${file}`, text);
  for (const name of ["client", "mock-server", "react"])
    tree.link(`packages/${name}`, `packages/user/node_modules/@quern/${name}`);
  for (const name of ["react", "react-dom", "happy-dom", "@tanstack/react-query", "@types/react", "@types/react-dom"])
    tree.link(`packages/react/node_modules/${name}`, `packages/user/node_modules/${name}`);
}
