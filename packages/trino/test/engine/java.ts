import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const minVersion = 25;
const folder = "/usr/lib/jvm";

/** Returns the home of a Java that is new enough for Trino; undefined if the machine has none. */
export function javaHome(): string | undefined {
  const installed = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [process.env.JAVA_HOME ?? "", ...installed].find((home) => home !== "" && versionOf(home) >= minVersion);
}

function versionOf(home: string): number {
  const program = join(home, "bin/java");
  if (!existsSync(program)) return 0;
  return Number(/^(?:openjdk|java) (\d+)/.exec(execFileSync(program, ["--version"]).toString())?.[1] ?? 0);
}

export function hasMaven(): boolean {
  try {
    execFileSync("mvn", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
