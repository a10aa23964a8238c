// `npm run quern -- <args>`: builds and runs the CLI of this checkout, in the current folder.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

build("@quern/cli", "@quern/server", "@quern/mock-server");
const cli = fileURLToPath(new URL("../../packages/cli/bin/quern.js", import.meta.url));
const child = spawn(process.execPath, [cli, ...process.argv.slice(2)], {
  stdio: "inherit",
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
// A terminal sends Ctrl-C to the CLI, too, which handles it.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code) => process.exit(code ?? 1));
