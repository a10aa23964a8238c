import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Python environment in a temporary folder, or the reason why this machine cannot create it, on one line. */
export type PythonEnvironment = { readonly python: string; remove(): void } | { readonly lacks: string };

const installMs = 180_000;

export async function createPythonEnvironment(...requirements: readonly string[]): Promise<PythonEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), "quern-python-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const python = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const steps = [
    {
      command: process.platform === "win32" ? "python" : "python3",
      args: ["-m", "venv", folder],
      lacks: "python3 with venv",
    },
    {
      command: python,
      args: ["-m", "pip", "install", "--quiet", ...requirements],
      lacks: `${requirements.join(", ")} from PyPI`,
    },
  ];
  for (const { command, args, lacks } of steps) {
    try {
      await promisify(execFile)(command, args, { timeout: installMs });
    } catch (error) {
      remove();
      const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
      return { lacks: `${lacks} (${reason})` };
    }
  }
  return { python, remove };
}
