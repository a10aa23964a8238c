// `npm run api-report`: builds the packages, and writes their public types to packages/*/api.md.
import { spawnSync } from "node:child_process";
import { build } from "./build.mjs";

build("./packages/*");
const { status } = spawnSync(process.execPath, ["tools/api-report/src/main.ts"], { stdio: "inherit" });
process.exit(status ?? 1);
