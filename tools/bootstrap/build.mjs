// Builds the workspace with turbo, which caches unchanged packages. Progress goes to stderr, and turbo's output is printed only
// if the build fails, so that stdout has the output of the command only.
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
