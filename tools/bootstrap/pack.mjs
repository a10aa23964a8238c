// `npm run pack -- <folder>`: builds the packages and writes them as tarballs to the folder, for projects outside of the
// clone, and a lock file that installs a server from them.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { writeServiceLock } from "../repo-rules/src/service-lock.ts";
import { build } from "./build.mjs";

const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || others.length > 0) {
  console.error("npm run pack: expected one folder; write `npm run pack -- ../quern-packages`");
  process.exit(2);
}
const destination = resolve(process.env.INIT_CWD ?? process.cwd(), folder);

build("./spec", "./packages/*");
const filters = ["--filter", "./spec", "--filter", "./packages/*"];
const args = ["--recursive", "--silent", ...filters, "pack", "--pack-destination", destination];
const { status, error } = spawnSync("pnpm", args, { stdio: ["ignore", 2, 2] });
if (status !== 0) {
  console.error(`npm run pack: pnpm ended with ${error?.message ?? status}; see its messages above`);
  process.exit(1);
}
writeServiceLock(destination);
console.log(`the packages are in ${destination}; install all of them together in your project:

  npm install --save-dev "${destination}"/*.tgz

or install a server from its lock file:

  npm ci --ignore-scripts --prefix "${destination}/service"
`);
