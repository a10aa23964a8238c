import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { residentBytes } from "./watchdogs.ts";

/** Machine that is probed. Tests pass their own. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Returns the path of a program; undefined if the machine lacks it. */
  find(program: string): string | undefined;
  /** Runs a command line and returns what it prints; undefined if it fails. */
  output(command: readonly string[]): string | undefined;
  /** True if the memory use of another process can be measured. */
  readonly canReadMemory: boolean;
  /** True if the kernel has a score by which it chooses the process to end when no memory is left. */
  readonly hasOutOfMemoryScore: boolean;
}

/** Returns the machine on which this process runs. */
export function thisMachine(): Machine {
  const folders = (process.env.PATH ?? "/usr/sbin:/usr/bin:/sbin:/bin").split(delimiter);
  return {
    platform: process.platform,
    find: (program) => folders.map((folder) => join(folder, program)).find((path) => existsSync(path)),
    output([program = "", ...parameters]) {
      // The programs end at once, but on a loaded machine that can take seconds, and the layer would count as missing.
      const { status, stdout } = spawnSync(program, parameters, { encoding: "utf8", env: {}, timeout: 20_000 });
      return status === 0 ? stdout : undefined;
    },
    canReadMemory: residentBytes(process.pid) !== undefined,
    hasOutOfMemoryScore: existsSync("/proc/self/oom_score_adj"),
  };
}
