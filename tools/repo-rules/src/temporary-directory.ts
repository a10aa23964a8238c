import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates one temporary directory for the whole run, so that all files of tests are removed, also after failures. */
export default function useTemporaryDirectory(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "quern-tests-"));
  // Most programs that tests start are the same few: each is compiled once for the whole run.
  process.env.NODE_COMPILE_CACHE = join(directory, "compiled");
  // If the tests run as root, PostgreSQL runs as another user, who must be able to read the directory.
  chmodSync(directory, 0o755);
  process.env.TMPDIR = directory;
  process.env.TEMP = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
