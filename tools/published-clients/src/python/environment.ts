import { execFile } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { machineCache } from "../../../../packages/s3/test/machine-cache.ts";

/** Python environment, or the reason why this machine cannot create it, on one line. */
export type PythonEnvironment = { readonly python: string } | { readonly lacks: string };

const installMs = 180_000;
const windows = process.platform === "win32";

/** Returns an environment with packages of PyPI, which it installs once for the machine. */
export async function createPythonEnvironment(...requirements: readonly string[]): Promise<PythonEnvironment> {
  const folder = join(machineCache, `python-${requirements.join("-").replaceAll("==", "-")}`);
  const pythonIn = (place: string): string => join(place, windows ? "Scripts/python.exe" : "bin/python");
  if (existsSync(folder)) return { python: pythonIn(folder) };
  const unfinished = `${folder}.${process.pid}`;
  const steps = [
    { command: windows ? "python" : "python3", args: ["-m", "venv", unfinished], lacks: "python3 with venv" },
    {
      command: pythonIn(unfinished),
      args: ["-m", "pip", "install", "--quiet", ...requirements],
      lacks: `${requirements.join(", ")} from PyPI`,
    },
  ];
  for (const { command, args, lacks } of steps) {
    try {
      await promisify(execFile)(command, args, { timeout: installMs });
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
      return { lacks: `${lacks} (${reason})` };
    }
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another file of tests may have installed the same packages meanwhile.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return { python: pythonIn(folder) };
}
