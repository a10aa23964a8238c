import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const examples = join(import.meta.dirname, "..");

/** Command that starts a mock server of this checkout. */
export const mockCommand = `${process.execPath} ${join(examples, "../../packages/cli/bin/quern.js")} mock`;

/** Programs of Maven end before code that was compiled twice is worth it. */
const mavenOptions = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

export function has(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/** Copies files of this folder to a new project in a temporary folder. */
export function projectOf(files: Readonly<Record<string, string>>): string {
  const project = mkdtempSync(join(tmpdir(), "quern-project-"));
  for (const [from, to] of Object.entries(files)) {
    mkdirSync(dirname(join(project, to)), { recursive: true });
    cpSync(join(examples, from), join(project, to));
  }
  return project;
}

/** Runs the tests of a project; returns its output as one text. */
export function runTests(project: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const { status, stdout, stderr } = spawnSync("nice", [command, ...args], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, MAVEN_OPTS: mavenOptions, QUERN_MOCK_URL: "", ...env },
    timeout: 300_000,
  });
  return { status, text: stdout + stderr };
}
