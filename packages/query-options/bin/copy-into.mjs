// Copies the build, and the sources that its source maps name, into the package of a framework, the working directory:
// `node ../query-options/bin/copy-into.mjs @tanstack/vue-query`. There the build imports the TanStack Query of the
// framework, which has all that `@tanstack/query-core` has. A dependency on `@tanstack/query-core` would be a second copy
// beside the exact version that the framework's package requires.

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [, , framework] = process.argv;
const copy = "dist/query-options";
for (const folder of ["dist", "src"])
  cpSync(join(import.meta.dirname, "..", folder), join(copy, folder), { recursive: true });
for (const file of readdirSync(copy, { recursive: true }).filter((file) => /\.(js|d\.ts)$/.test(file))) {
  const path = join(copy, file);
  writeFileSync(path, readFileSync(path, "utf8").replaceAll('"@tanstack/query-core"', `"${framework}"`));
}
