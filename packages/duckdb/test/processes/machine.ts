import { it } from "vitest";
import { sandboxing } from "../../src/processes/sandbox-layers.ts";

/** A test of a layer of the sandbox, which is skipped where the machine lacks it. */
export function onMachineWith(layer: string): typeof it {
  const isPresent = sandboxing().layers.some(({ name, isPresent }) => name === layer && isPresent);
  return (isPresent ? it : it.skip) as typeof it; // the machine lacks the layer
}
