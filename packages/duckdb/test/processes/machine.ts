import { it } from "vitest";
import { sandboxing } from "../../src/processes/sandbox-layers.ts";

/** Returns a test of a sandbox layer, which is skipped if the machine lacks the layer. */
export function onMachineWith(layer: string): typeof it {
  const isPresent = sandboxing().layers.some(({ name, isPresent }) => name === layer && isPresent);
  return (isPresent ? it : it.skip) as typeof it; // the machine lacks the layer
}
