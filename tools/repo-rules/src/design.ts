import type { PackageArrow } from "./package-arrows.ts";
import { read } from "./tree.ts";

const HEAD = "| Package | Imports | Loads on demand |\n| --- | --- | --- |\n";

/**
 * Returns the arrows that the table of packages in `docs/design.md` allows.
 * @throws if the document has no such table
 */
export function arrowsOfDesign(): PackageArrow[] {
  const table = read("docs/design.md").split(HEAD)[1]?.split("\n\n")[0];
  if (table === undefined) throw new Error(`docs/design.md has no table that begins with:\n${HEAD}`);
  return table.split("\n").flatMap((row) => {
    const [from = "", imports = "", loads = ""] = row.split("|").slice(1).map(names);
    const arrows = (targets: readonly string[], lazy: boolean) =>
      targets.map((to) => ({ from: from[0] ?? "", to, lazy }));
    return [...arrows([...imports], false), ...arrows([...loads], true)];
  });
}

const names = (cell: string): string[] => [...cell.matchAll(/`([a-z0-9-]+)`/g)].map((match) => match[1] ?? "");
