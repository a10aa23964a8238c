// `npm run screenshot`: builds, then writes docs/images/dashboard.png, or with `-- trino` dashboard-trino.png.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

build("@quern/cli", "@quern/server", "@quern/react", "@quern/trino");
const script = fileURLToPath(new URL("../../examples/dashboard/test/take-screenshot.ts", import.meta.url));
process.exit(spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1);
