// `npm run quern -- <args>`: the CLI of this checkout, in the folder the command was typed in.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

build("@quern/cli", "@quern/server", "@quern/mock-server");
const cli = fileURLToPath(new URL("../../packages/cli/bin/quern.js", import.meta.url));
const child = spawn(process.execPath, [cli, ...process.argv.slice(2)], {
  stdio: "inherit",
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
// A terminal's Ctrl-C reaches the CLI too, which decides what it means.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code) => process.exit(code ?? 1));
