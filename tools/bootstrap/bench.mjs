// `npm run bench`: builds, then runs all benchmarks. `-- NAME` runs one; tools/bench/README.md lists them.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

build();
const bench = fileURLToPath(new URL("../bench/src/main.ts", import.meta.url));
process.exit(spawnSync(process.execPath, [bench, ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1);
