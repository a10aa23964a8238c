import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { architectureFile, architectureSvg } from "./architecture.ts";
import { root } from "./tree.ts";

// `npm run architecture` writes the pictures of the packages.
for (const scheme of ["light", "dark"] as const) {
  const file = architectureFile(scheme);
  writeFileSync(join(root, file), await architectureSvg(scheme));
  console.log(`wrote ${file}`);
}
