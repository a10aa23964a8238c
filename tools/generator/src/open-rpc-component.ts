import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { load } from "./load.ts";
import { mockAdminFile } from "./output-file.ts";
import { readServiceSettings } from "./service-settings.ts";
import { targets } from "./targets.ts";

/** Part of the arguments of a hook of `@open-rpc/generator` that is used here. */
interface HostedComponent {
  readonly name: string;
}

/**
 * Adapter to `@open-rpc/generator`: a custom component that runs the target of its name. The host's document is a shim
 * (see `host.ts`) whose `x-source` has the path of the real document.
 */
const component = {
  staticPath: () => undefined,
  hooks: {
    templateFiles: { typescript: [] },
    afterCompileTemplate: [writeTarget],
  },
};

export default component;

async function writeTarget(
  folder: string,
  _from: unknown,
  { name }: HostedComponent,
  document: Readonly<Record<string, unknown>>,
): Promise<void> {
  const target = targets.find((candidate) => candidate.name === name);
  const source = document["x-source"];
  if (target === undefined || typeof source !== "string") throw new Error(`unknown target: ${name}`);
  for (const file of target.files(load(source), load(mockAdminFile), readServiceSettings())) {
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.text);
  }
}
