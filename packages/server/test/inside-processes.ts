import { readdir, readFile, readlink } from "node:fs/promises";

/** A process whose own folder lies in another, and who started it. */
export interface InsideProcess {
  readonly pid: number;
  readonly parent: number;
}

/** Lists the processes whose directory is in a folder, also in a removed one. Empty on a machine without /proc. */
export async function processesInside(folder: string): Promise<readonly InsideProcess[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => inside(folder, pid).catch(() => []))); // it has just ended
  return found.flat();
}

async function inside(folder: string, pid: string): Promise<InsideProcess[]> {
  if (!(await readlink(`/proc/${pid}/cwd`)).startsWith(`${folder}/`)) return [];
  const [, parent] = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
  return [{ pid: Number(pid), parent: Number(parent) }];
}
