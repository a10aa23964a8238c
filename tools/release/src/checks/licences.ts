import { read } from "../../../repo-rules/src/tree.ts";
import { bundledLicences, bundledSources, LICENCES_FILE } from "../bundled-packages.ts";
import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";

/** Checks that a package has its licence, and the licences of the code that is bundled with it. */
export function licenceFaults(packed: PackedPackage): Fault[] {
  const { name, files, manifest, text } = packed;
  const fault = (file: string, rule: string, action: string): Fault => ({ package: name, file, rule, action });
  const faults: Fault[] = [];
  if (manifest.license !== "Apache-2.0")
    faults.push(fault("package.json", `has the licence ${manifest.license}`, 'write "license": "Apache-2.0"'));
  if (!files.includes("LICENSE"))
    faults.push(fault("LICENSE", "is missing", "pack with pnpm in the workspace, which adds LICENSE of the root"));
  else if (text("LICENSE") !== read("LICENSE"))
    faults.push(fault("LICENSE", "differs from LICENSE of the repository", "remove the copy in the package"));
  const listed = bundledLicences(packed).map(({ name, version }) => `${name}@${version}`);
  for (const bundled of bundledSources(packed).map(({ name, version }) => `${name}@${version}`)) {
    if (!listed.includes(bundled))
      faults.push(fault(LICENCES_FILE, `lacks the licence of ${bundled}`, "write it in the build that bundles it"));
  }
  const isUnmapped = (file: string) => /^dist\/.*\.js$/.test(file) && !files.includes(`${file}.map`);
  if (files.some(isUnmapped) && listed.length === 0)
    faults.push(fault(LICENCES_FILE, "is missing", "set `build.license` in the configuration of Vite"));
  return faults;
}
