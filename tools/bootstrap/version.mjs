// Applies the changesets, and writes the OpenRPC document of the new version to spec/released, which the next changes are
// compared with.
import { spawnSync } from "node:child_process";

for (const [command, ...args] of [
  ["changeset", "version"],
  ["node", "tools/spec-diff/src/main.ts", "release"],
]) {
  const { status } = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}
