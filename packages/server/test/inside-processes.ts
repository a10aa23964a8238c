import { readdir, readFile, readlink } from "node:fs/promises";

/** A process whose own folder lies in another, and who started it. */
export interface InsideProcess {
  readonly pid: number;
  readonly parent: number;
  readonly directory: string;
  /** Start of the process in ticks of the kernel. A later process can have the same pid. */
  readonly startedAt: number;
}

/** Lists the processes whose directory is in a folder, also in a removed one. Empty on a machine without /proc. */
export async function processesInside(folder: string): Promise<readonly InsideProcess[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => inside(folder, pid).catch(() => []))); // it has just ended
  return found.flat();
}

async function inside(folder: string, pid: string): Promise<InsideProcess[]> {
  const directory = await readlink(`/proc/${pid}/cwd`);
  if (!directory.startsWith(`${folder}/`)) return [];
  // The fields after the name of the program, from the third: state, parent, …, and as the 22nd the start.
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
  return [{ pid: Number(pid), parent: Number(fields[1]), directory, startedAt: Number(fields[19]) }];
}

/** Kills a process that may have ended since it was listed. */
export function killIfRunning(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
