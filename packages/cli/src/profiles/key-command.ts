import { spawn } from "node:child_process";
import { UsageError } from "../errors/cli-error.ts";

/** Longest time for a command that prints a key. A password manager may wait for a fingerprint or a PIN. */
const timeoutMs = 60_000;
const maxKeyBytes = 65_536;

/**
 * Runs a command without a shell, and returns what it prints: one line, without white space around it. Its messages are
 * shown on a terminal; errors never contain its output.
 * @param place Text that names the profile, for errors.
 * @throws {UsageError}
 */
export async function keyOfCommand(
  [program = "", ...words]: readonly string[],
  place: string,
  { env, stderr }: { readonly env: NodeJS.ProcessEnv; readonly stderr: { readonly isTTY?: boolean } },
  limitMs = timeoutMs,
): Promise<string> {
  const fail = (reason: string): UsageError =>
    new UsageError(`cannot get the key of ${place}: ${program} ${reason}; correct api_key_command`);
  const child = spawn(program, words, {
    env,
    stdio: ["ignore", "pipe", stderr.isTTY ? "inherit" : "ignore"],
    windowsHide: true,
  });
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => end(fail(`did not end within ${limitMs / 1_000} seconds`)), limitMs);
    function end(error?: Error): void {
      clearTimeout(timer);
      // A process that the command has started may keep the pipe open.
      child.stdout.destroy();
      child.kill("SIGKILL");
      if (error === undefined) resolve();
      else reject(error);
    }
    child.stdout.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxKeyBytes) end(fail("printed more than a key"));
      else chunks.push(chunk);
    });
    child.on("error", ({ code, message }: NodeJS.ErrnoException) =>
      end(fail(code === "ENOENT" ? "does not exist" : `cannot be run: ${message}`)),
    );
    child.on("close", (code, signal) => {
      if (code === 0) end();
      else end(fail(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`));
    });
  });
  const key = Buffer.concat(chunks).toString().trim();
  if (key === "") throw fail("printed no key");
  if (key.includes("\n")) throw fail("printed more than one line");
  return key;
}
