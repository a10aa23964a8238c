// Builds the workspace; what is unchanged comes from turbo's cache. All output goes to stderr, so that a command's own
// output stays clean.
import { spawnSync } from "node:child_process";

export function build(...filters) {
  const args = ["run", "build", "--output-logs=errors-only", ...filters.map((filter) => `--filter=${filter}...`)];
  const { status } = spawnSync("turbo", args, { stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}
