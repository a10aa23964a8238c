import { writeFileSync } from "node:fs";
import { reportFiles } from "./reports.ts";

// `npm run api-report` builds the packages, and writes the reports that are not up to date.
for (const { file, path, text, isCurrent } of reportFiles()) {
  if (isCurrent) continue;
  writeFileSync(path, text);
  console.log(`wrote ${file}`);
}
