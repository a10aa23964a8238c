import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Writes the names, versions and licences of the packages whose modules a bundle contains to a file, in the form of Vite's
 * `build.license`.
 * @param modules paths of the modules
 */
export function writeBundledLicences(modules, file) {
  const files = modules.map((path) => resolve(path).replaceAll("\\", "/"));
  const folders = new Set(files.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  const sections = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const found = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    return `## ${name} - ${version} (${license})\n\n${licenceText(folder, found, license)}\n`;
  });
  writeFileSync(
    file,
    `# Licenses\n\nThe files of this folder contain code of these packages.\n\n${sections.sort().join("\n")}`,
  );
}

function licenceText(folder, file, license) {
  if (file !== undefined) return readFileSync(join(folder, file), "utf8").trim();
  if (license === "Apache-2.0") return "The same licence as that of this package, whose text is in `LICENSE`.";
  throw new Error(`${relative("", folder)} has no file with its licence`);
}
