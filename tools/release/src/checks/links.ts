import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";

/** Checks that the links of the README work on the page of a registry. */
export function linkFaults({ name, files, text }: PackedPackage): Fault[] {
  if (!files.includes("README.md")) return [];
  const links = [...text("README.md").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links
    .filter((link) => !link.startsWith("https://") && !link.startsWith("#"))
    .map((link) => ({
      package: name,
      file: "README.md",
      rule: `has the relative link ${link}`,
      action: "write an absolute address, which also works on the registry's page",
    }));
}
