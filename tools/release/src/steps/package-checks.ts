import { contentFaults } from "../checks/contents.ts";
import { exportFaults } from "../checks/exports.ts";
import { licenceFaults } from "../checks/licences.ts";
import { linkFaults } from "../checks/links.ts";
import { sourceMapFaults } from "../checks/source-maps.ts";
import { typeFaults } from "../checks/types.ts";
import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";
import type { Step } from "../step.ts";

type Check = (packed: PackedPackage) => Fault[] | Promise<Fault[]>;

const checks: Readonly<Record<string, Check>> = {
  "exports, by publint": exportFaults,
  "types, by attw": typeFaults,
  "source maps": sourceMapFaults,
  contents: contentFaults,
  "licences of packages and bundled code": licenceFaults,
  "links of READMEs": linkFaults,
};

/** Steps that check each package as it is packed. */
export const packageChecks: readonly Step[] = Object.entries(checks).map(([name, check]) => ({
  name,
  run: async ({ packages }) => ({ faults: (await Promise.all(packages.map(check))).flat() }),
}));

/** Returns all faults of one package. */
export async function faultsOf(packed: PackedPackage): Promise<Fault[]> {
  return (await Promise.all(Object.values(checks).map((check) => check(packed)))).flat();
}
