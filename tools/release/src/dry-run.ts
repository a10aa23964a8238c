import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloneCheckout } from "../../repo-rules/src/clone.ts";
import type { Fault } from "./fault.ts";
import { startRegistry } from "./registry.ts";
import type { Rehearsal } from "./rehearsal.ts";
import type { Step } from "./step.ts";
import { billsOfMaterials } from "./steps/bills-of-materials.ts";
import { dependencyLicences } from "./steps/dependency-licences.ts";
import { install } from "./steps/install.ts";
import { pack } from "./steps/pack.ts";
import { packageChecks } from "./steps/package-checks.ts";
import { publish } from "./steps/publish.ts";
import { sizeCeilings } from "./steps/size-ceilings.ts";
import { snippets } from "./steps/snippets.ts";
import { versions } from "./steps/versions.ts";
import { vulnerabilities } from "./steps/vulnerabilities.ts";

const steps: readonly Step[] = [
  versions,
  pack,
  ...packageChecks,
  publish,
  install,
  sizeCeilings,
  dependencyLicences,
  billsOfMaterials,
  vulnerabilities,
  snippets,
];

/** Ended rehearsal, with its registry still running. Disposal removes all that it wrote. */
export interface DryRun extends Rehearsal, AsyncDisposable {
  readonly faults: readonly Fault[];
}

/** Rehearses a release: carries out all steps, also after one has failed. Nothing in the checkout changes. */
export async function dryRun(print: (line: string) => void): Promise<DryRun> {
  const folder = mkdtempSync(join(tmpdir(), "quern-release-"));
  // Processes of statements have another user if the service runs as root, and read the installed packages.
  chmodSync(folder, 0o755);
  const registry = await startRegistry(folder);
  const copy = cloneCheckout();
  const projects = new Map<string, string>();
  const rehearsal: Rehearsal = { folder, registry, copy: copy.folder, version: "", packages: [], projects };
  const faults: Fault[] = [];
  for (const step of steps) {
    const start = Date.now();
    const found = await carryOut(step, rehearsal, print);
    const state = found.length === 0 ? "ok    " : "FAILED";
    print(`${state} ${step.name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    faults.push(...found);
  }
  return {
    ...rehearsal,
    faults,
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]();
      copy[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function carryOut(step: Step, rehearsal: Rehearsal, print: (line: string) => void): Promise<readonly Fault[]> {
  try {
    const { faults = [], lines = [] } = await step.run(rehearsal);
    for (const line of lines) print(`       ${line}`);
    return faults;
  } catch (error) {
    const action = "correct the first failed step; later ones need its result";
    return [{ package: "all packages", file: step.name, rule: String(error), action }];
  }
}
