import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));

/** Bundles the modules of processes from the sources that are tested, before the tests and each time they run again. */
export default async function buildProcesses(project: TestProject): Promise<void> {
  const build = async (): Promise<void> => {
    await promisify(execFile)(process.execPath, ["build.mjs"], { cwd: packageFolder });
  };
  await build();
  project.onTestsRerun(build);
}
