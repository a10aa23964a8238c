import { overCeilings } from "../../../bench/src/sizes.ts";
import type { Step } from "../step.ts";

/** Checks the sizes of bundles for browsers, from the packages as they are installed. */
export const sizeCeilings: Step = {
  name: "byte ceilings",
  async run({ projects }) {
    const over = await overCeilings(projects);
    return {
      faults: over.map(({ name, label, gzip, atMost }) => ({
        package: name,
        file: "dist",
        rule: `the bundle "${label}" has ${gzip} bytes, gzipped, at most ${atMost} are allowed`,
        action: "reduce it, or raise `atMost` in tools/bench/src/sizes.ts with the reason in the commit",
      })),
    };
  },
};
