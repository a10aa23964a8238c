import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./tree.ts";

export interface Clone extends Disposable {
  readonly folder: string;
}

/**
 * Clones the checkout with Git into a new folder whose path has a space, and applies uncommitted changes of tracked
 * files.
 */
export function cloneCheckout(): Clone {
  const folder = mkdtempSync(join(tmpdir(), "quern clone "));
  git(["clone", "--quiet", root, folder], root);
  // Changesets compares with the base branch. A clone of another branch has it only as a remote branch.
  git(["branch", "--force", "main"], folder, { mayFail: true });
  const changes = git(["diff", "HEAD", "--binary"], root);
  if (changes !== "") git(["apply", "-"], folder, { input: changes });
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

function git(args: readonly string[], cwd: string, { input = "", mayFail = false } = {}): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0 && !mayFail) throw new Error(`git ${args[0]} in ${cwd} ended with ${status}: ${stderr}`);
  return stdout;
}
