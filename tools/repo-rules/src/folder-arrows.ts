import { dirname, posix } from "node:path";
import { importsOf, sourceFiles } from "./tree.ts";

/** Folder, with the siblings that each of its files and folders imports, types included. */
export interface FolderArrows {
  readonly folder: string;
  readonly children: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Returns the imports below a folder of the checkout, as imports between siblings of each folder. */
export function folderArrows(folder: string): FolderArrows[] {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const file of [...sourceFiles(folder), ...sourceFiles(`${folder}/generated`)]) {
    for (const { specifier } of importsOf(file).filter(({ specifier }) => specifier.startsWith("."))) {
      const from = file.split("/");
      const to = posix.join(dirname(file), specifier).split("/");
      const depth = from.findIndex((part, index) => part !== to[index]);
      if (depth < folder.split("/").length) continue;
      const [child = "", sibling = ""] = [from[depth], to[depth]];
      const children = entry(found, from.slice(0, depth).join("/"), () => new Map<string, Set<string>>());
      entry(children, child, () => new Set<string>()).add(sibling);
    }
  }
  return [...found].map(([folder, children]) => ({ folder, children }));
}

/** Returns groups of siblings that import each other, directly or indirectly, as `folder: a, b`. */
export function circlesBetween({ folder, children }: FolderArrows): string[] {
  const reached = new Map([...children.keys()].map((child) => [child, reachable(children, child)]));
  const groups = [...reached].flatMap(([child, others]) => {
    const group = [...others].filter((other) => reached.get(other)?.has(child)).sort();
    return others.has(child) ? [`${folder}: ${group.join(", ")}`] : [];
  });
  return [...new Set(groups)];
}

function reachable(children: FolderArrows["children"], start: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...(children.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(children.get(next) ?? []));
  }
  return seen;
}

function entry<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
