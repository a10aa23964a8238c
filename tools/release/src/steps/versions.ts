import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../repo-rules/src/tree.ts";
import { writeReleased } from "../../../spec-diff/src/release/released.ts";
import { command } from "../command.ts";
import type { Step } from "../step.ts";

const CHANGESET = join(root, "node_modules/@changesets/cli/bin.js");

/** Applies the changesets in the copy, and writes the OpenRPC document of the version. */
export const versions: Step = {
  name: "versions, by the changesets",
  async run(rehearsal) {
    const { copy } = rehearsal;
    await command(process.execPath, [CHANGESET, "version"], { cwd: copy });
    const { version } = JSON.parse(readFileSync(join(copy, "spec/package.json"), "utf8"));
    rehearsal.version = version;
    writeReleased(version, copy);
    return { lines: [`the next version is ${version}`] };
  },
};
