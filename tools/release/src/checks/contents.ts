import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";

const TEST = /(^|\/)test\/|\.test\.|\.tsbuildinfo$/;

/** Checks that a package has what readers need, and nothing of its tests or its workspace. */
export function contentFaults({ name, files, manifest }: PackedPackage): Fault[] {
  const fault = (file: string, rule: string, action: string): Fault => ({ package: name, file, rule, action });
  const missing = files.includes("README.md") ? [] : [fault("README.md", "is missing", "add it to the package")];
  const tests = files
    .filter((file) => TEST.test(file))
    .map((file) => fault(file, "belongs to the tests", "leave it out of `files` in package.json"));
  const { dependencies, peerDependencies } = manifest;
  const local = Object.entries({ ...dependencies, ...peerDependencies })
    .filter(([, range]) => /^(workspace|catalog|file|link):/.test(range))
    .map(([dependency, range]) =>
      fault("package.json", `depends on ${dependency}@${range}, which no registry has`, "pack the package with pnpm"),
    );
  return [...missing, ...tests, ...local];
}
