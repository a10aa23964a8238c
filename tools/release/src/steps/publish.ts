import { join } from "node:path";
import { publishScript } from "../../../repo-rules/src/workflow.ts";
import { command } from "../command.ts";
import type { Fault } from "../fault.ts";
import type { Step } from "../step.ts";

/** Publishes the packages to the registry on loopback with the commands of the workflow, and reads them back. */
export const publish: Step = {
  name: "publish to a registry on loopback",
  async run({ folder, registry, packages, version }) {
    // A statement of provenance requires the identity of a CI run.
    const script = publishScript().replaceAll("--provenance", "--no-provenance");
    await command("bash", ["-e", "-c", script], { cwd: join(folder, "release/packages"), env: registry.environment });
    const faults: Fault[] = [];
    for (const { name } of packages) {
      const response = await fetch(new URL(encodeURIComponent(name), registry.url));
      const { versions = {}, "dist-tags": tags = {} } = await response.json();
      if (Object.keys(versions).join() === version && tags.latest === version) continue;
      const rule = `the registry has the versions ${Object.keys(versions).join(", ")}, expected ${version}`;
      faults.push({ package: name, file: "package.json", rule, action: "publish one version of all packages" });
    }
    return { faults };
  },
};
