import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";

/** Name of the file that lines are appended to. */
export const currentFile = "audit.jsonl";
/** Name of the file that a process locks while it appends. */
export const auditLockFile = "audit.lock";

const closedForm = /^audit-(\d{4}-\d{2}-\d{2})(?:\.(\d+))?\.jsonl$/;

/** Lists the paths of the closed audit files of a data directory, the oldest first. */
export function closedFiles(dataDir: string): readonly string[] {
  return closedParts(dataDir).map(({ name }) => join(dataDir, name));
}

/** Lists the paths of all audit files of a data directory, the oldest first. */
export function auditFiles(dataDir: string): readonly string[] {
  const current = join(dataDir, currentFile);
  return [...closedFiles(dataDir), ...(existsSync(current) ? [current] : [])];
}

/**
 * Closes the current file: renames it to `audit-<day>.jsonl`, or `audit-<day>.2.jsonl` if that exists, and so on.
 * @param day day (UTC) of its first line. A later day of the newest closed file takes precedence, so that the names
 *   have the order of the lines even if the clock was set back.
 */
export function closeCurrentFile(dataDir: string, day: string): void {
  const newest = closedParts(dataDir).at(-1);
  const part =
    newest === undefined || newest.day < day ? { day, number: 1 } : { day: newest.day, number: newest.number + 1 };
  const suffix = part.number === 1 ? "" : `.${part.number}`;
  renameSync(join(dataDir, currentFile), join(dataDir, `audit-${part.day}${suffix}.jsonl`));
}

function closedParts(dataDir: string) {
  return readdirSync(dataDir)
    .flatMap((name) => {
      const [, day, number = "1"] = closedForm.exec(name) ?? [];
      return day === undefined ? [] : [{ name, day, number: Number(number) }];
    })
    .sort((a, b) => (a.day === b.day ? a.number - b.number : a.day < b.day ? -1 : 1));
}
