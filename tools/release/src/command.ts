import { execFile } from "node:child_process";

/**
 * Runs a command without blocking the event loop, and returns its standard output.
 * @throws with the output of the command if it does not end with 0
 */
export function command(
  file: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  const options = { cwd, env: { ...process.env, NO_COLOR: "1", ...env }, maxBuffer: 2 ** 28, timeout: 600_000 };
  return new Promise((resolve, reject) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${[file, ...args].join(" ")} ended with ${error.code}: ${stderr}${stdout}`));
    });
  });
}
