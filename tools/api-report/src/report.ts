import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import type { Source } from "./declaration-file.ts";
import { createDeclarations, type Declared, isDeclared, type PublicName } from "./public-names.ts";
import { hiddenDeclarations, importsOf } from "./used-names.ts";

/** An entry point of a package, with its declaration file. */
interface Entry {
  readonly specifier: string;
  readonly path: string;
}

/** Returns the entry points with types of a package. */
function entriesOf(folder: string): readonly Entry[] {
  const manifest: { name: string; exports?: Readonly<Record<string, string | { types?: string }>> } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  return Object.entries(manifest.exports ?? {}).flatMap(([name, target]) => {
    const types = typeof target === "string" ? undefined : target.types;
    return types === undefined ? [] : [{ specifier: manifest.name + name.slice(1), path: join(folder, types) }];
  });
}

/** Returns the report of a package from its build: a Markdown document. Returns undefined for a package without types. */
export function apiReport(folder: string): string | undefined {
  const entries = entriesOf(folder);
  if (entries.length === 0) return undefined;
  const missing = entries.find(({ path }) => !existsSync(path));
  if (missing !== undefined) throw new Error(`Missing file: ${missing.path}; build the package`);
  const declarations = createDeclarations();
  const exported = entries.map((entry) => ({ ...entry, names: sorted(declarations.exportsOf(entry.path)) }));
  const visible = exported.flatMap(({ names }) => names.flatMap(([, found]) => (isDeclared(found) ? [found] : [])));
  const hidden = hiddenDeclarations(visible, declarations);
  const imports = importsOf([...visible, ...hidden], declarations);
  const shown = new Map<string, string>();
  const sections = exported.map(({ specifier, path, names }) => {
    const stars = declarations.starsOf(path);
    const lines = names.map(([name, found]) => exportText(name, found, specifier, shown));
    return section(`## \`${specifier}\``, [...stars, ...lines]);
  });
  if (hidden.length > 0)
    sections.push(
      section(
        "## Used above, not exported",
        hidden.map((one) => declarationText(one)),
      ),
    );
  if (imports.length > 0)
    sections.push(
      section("## Used above, of other packages", [...Map.groupBy(imports, ({ module }) => module)].map(importText)),
    );
  const title = entries[0]?.specifier.split("/").slice(0, 2).join("/");
  return `# Types of ${title}\n\n${introduction}\n\n${sections.join("\n\n")}\n`;
}

const introduction = `\`npm run api-report\` writes this file from the build, without comments. A change here is a change for users of the package:
describe it in a changeset.`;

function section(heading: string, texts: readonly string[]): string {
  return `${heading}\n\n\`\`\`ts\n${texts.join("\n")}\n\`\`\``;
}

function sorted(names: ReadonlyMap<string, PublicName>): readonly (readonly [string, PublicName])[] {
  return [...names].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns the declaration of an exported name, or the name alone if another entry point has shown the declaration. */
function exportText(name: string, found: PublicName, specifier: string, shown: Map<string, string>): string {
  const as = found.name === name ? name : `${found.name} as ${name}`;
  if (!isDeclared(found)) return `export { ${as} } from "${found.module}";`;
  const key = `${found.name} ${found.file.path}`;
  const first = shown.get(key);
  if (first !== undefined) return `export { ${as} } from "${first}";`;
  shown.set(key, specifier);
  return found.name === name ? declarationText(found, "export ") : `${declarationText(found)}\nexport { ${as} };`;
}

/** Returns an import of all names, each in a line of its own, so that a change shows one line. */
function importText([module, names]: readonly [string, readonly Source[]]): string {
  return `import {\n${names.map(({ name }) => `  ${name},\n`).join("")}} from "${module}";`;
}

const printer = ts.createPrinter({ removeComments: true });

function declarationText({ file, statements }: Declared, before = ""): string {
  return statements
    .map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, file.source))
    .map((text) => text.replace(/^export (?:default )?/, "").replace(/^declare /, ""))
    .map((text) => before + text)
    .map((text) => text.replaceAll(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2)))
    .join("\n");
}
