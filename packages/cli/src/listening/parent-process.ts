/** Process whose end ends the server: by its id, or the one at the other end of standard input. */
export type ParentProcess = number | "stdin";

const pollMs = 200;

/** Resolves once the process has ended; never without one. */
export function parentEnd(parent: ParentProcess | undefined, { stdin }: Pick<NodeJS.Process, "stdin">): Promise<void> {
  return new Promise((resolve) => {
    if (parent === "stdin") stdin.once("end", resolve).once("close", resolve).resume();
    if (typeof parent !== "number") return;
    const poll = setInterval(() => {
      if (isAlive(parent)) return;
      clearInterval(poll);
      resolve();
    }, pollMs);
    // The poll alone must not keep this process alive.
    poll.unref();
  });
}

/**
 * Returns the shell in which `npx quern` or a script of npm runs this command. Killing npm kills that shell, and does not signal the command.
 * A shell that starts the command in the background may end before it.
 */
export function npmParent({ env, ppid }: Pick<NodeJS.Process, "env" | "ppid">): ParentProcess | undefined {
  return /^['"]?quern\b[^&|;]*$/.test(env.npm_lifecycle_script ?? "") ? ppid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process is alive, and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
