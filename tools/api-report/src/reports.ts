import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { apiReport } from "./report.ts";

/** Root of the checkout. */
const checkout = join(import.meta.dirname, "../../..");

export interface ReportFile {
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** Returns the reports of all packages, which must be built. */
export function reportFiles(): readonly ReportFile[] {
  const folders = readdirSync(join(checkout, "packages")).filter((name) =>
    existsSync(join(checkout, "packages", name, "package.json")),
  );
  return folders.flatMap((name) => {
    const text = apiReport(join(checkout, "packages", name));
    if (text === undefined) return [];
    const file = `packages/${name}/api.md`;
    const path = join(checkout, file);
    const isCurrent = existsSync(path) && readFileSync(path, "utf8") === text;
    return [{ file, path, text, isCurrent }];
  });
}
