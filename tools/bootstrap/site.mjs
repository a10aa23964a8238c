// `npm run site`: builds the packages that the site shows, then the documentation site; `-- --serve` serves it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

build("@quern/client", "@quern/console", "@quern/mock-server");
const script = fileURLToPath(new URL("../site/src/main.ts", import.meta.url));
process.exit(spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1);
