import satisfies from "spdx-satisfies";
import { bundledLicences } from "../bundled-packages.ts";
import type { Fault } from "../fault.ts";
import { installedIn } from "../installed.ts";
import type { Step } from "../step.ts";

/** Licences without a condition on the programs that use the code. */
const ACCEPTED = [
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "Unlicense",
  "CC0-1.0",
];

/** Checks the licences of the dependencies, and of the code that is bundled with a package. */
export const dependencyLicences: Step = {
  name: "licences of dependencies",
  async run({ packages, projects }) {
    const licences = new Set<string>();
    const faults = packages.flatMap((packed): Fault[] => {
      const project = projects.get(packed.name);
      const all = [...(project === undefined ? [] : installedIn(project)), ...bundledLicences(packed)];
      return all.flatMap(({ name, version, license = "" }) => {
        licences.add(license);
        if (isAccepted(license)) return [];
        const rule = `${name}@${version} has the licence "${license}", which is not in the list`;
        const action = "replace the dependency, or add its licence to tools/release/src/steps/dependency-licences.ts";
        return [{ package: packed.name, file: "package.json", rule, action }];
      });
    });
    return { faults, lines: [[...licences].sort().join(", ")] };
  },
};

function isAccepted(license: string): boolean {
  try {
    return satisfies(license, ACCEPTED);
  } catch {
    return false; // no SPDX expression
  }
}
