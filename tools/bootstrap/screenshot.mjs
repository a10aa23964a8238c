// `npm run screenshot`: builds, then writes docs/images/dashboard.png; with `-- trino` dashboard-trino.png, and with
// `-- console` the pictures of the console, light and dark.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

build("@quern/cli", "@quern/server", "@quern/react", "@quern/trino", "@quern/console");
const folder = process.argv[2] === "console" ? "packages/console" : "examples/dashboard";
const script = fileURLToPath(new URL(`../../${folder}/test/take-screenshot.ts`, import.meta.url));
process.exit(spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1);
