import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One temporary directory for the whole run: nothing that a test writes outlives it, also where the test has failed. */
export default function useTemporaryDirectory(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "quern-tests-"));
  // PostgreSQL runs as another user where we are root.
  chmodSync(directory, 0o755);
  process.env.TMPDIR = directory;
  process.env.TEMP = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
