// Builds the workspace; what is unchanged comes from turbo's cache. It says what it does on stderr, and what went wrong only
// where something did, so that a command's own output stays clean.
import { spawnSync } from "node:child_process";

export function build(...filters) {
  const args = ["run", "build", "--output-logs=errors-only", ...filters.map((filter) => `--filter=${filter}...`)];
  console.error("building");
  const { status, stdout, stderr } = spawnSync("turbo", args, {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status === 0) return;
  console.error(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}
