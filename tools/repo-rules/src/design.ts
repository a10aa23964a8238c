import { read } from "./tree.ts";

export interface PackageArrow {
  readonly from: string;
  readonly to: string;
  /** True if the package is loaded by `import()`. */
  readonly lazy: boolean;
}

/** Reads the arrows of the package picture in `docs/design.md`. Throws if a line of the picture is not an arrow. */
export function arrowsOfDesign(): PackageArrow[] {
  const picture = read("docs/design.md").match(/^```mermaid\nflowchart \w+\n([\s\S]*?)^```$/m)?.[1];
  if (picture === undefined) throw new Error("docs/design.md has no flowchart of the packages.");
  return picture
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, from, arrow, to] = line.match(/^ *([a-z0-9-]+) (-->|-\.->) ([a-z0-9-]+)$/) ?? [];
      if (!from || !to) throw new Error(`docs/design.md: "${line.trim()}" is not an arrow "a --> b" or "a -.-> b".`);
      return { from, to, lazy: arrow === "-.->" };
    });
}
