/** Process whose end stops the server: its id, or `stdin` for the process that holds standard input open. */
export type ParentProcess = number | "stdin";

const pollMs = 200;

/** Resolves once the process has ended. Never resolves if `parent` is undefined. */
export function parentEnd(parent: ParentProcess | undefined, { stdin }: Pick<NodeJS.Process, "stdin">): Promise<void> {
  return new Promise((resolve) => {
    if (parent === "stdin") stdin.once("end", resolve).once("close", resolve).resume();
    if (typeof parent !== "number") return;
    const poll = setInterval(() => {
      if (isAlive(parent)) return;
      clearInterval(poll);
      resolve();
    }, pollMs);
    // The timer alone must not keep this process alive.
    poll.unref();
  });
}

/**
 * Returns the id of the shell in which `npx quern` or an npm script runs this command. Killing npm kills that shell but does
 * not signal the command. Returns undefined outside npm, and for scripts with several commands, because their shell may
 * end before this one.
 */
export function npmParent({ env, ppid }: Pick<NodeJS.Process, "env" | "ppid">): ParentProcess | undefined {
  return /^['"]?quern\b[^&|;]*$/.test(env.npm_lifecycle_script ?? "") ? ppid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
