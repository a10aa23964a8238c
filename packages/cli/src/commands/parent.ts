/** Process whose end ends the server: by its id, or the one at the other end of standard input. */
export type Parent = number | "stdin";

const lookMs = 200;

/** Resolves once it has ended; never where there is none. */
export function parentEnd(parent: Parent | undefined, { stdin }: Pick<NodeJS.Process, "stdin">): Promise<void> {
  return new Promise((resolve) => {
    if (parent === "stdin") stdin.once("end", resolve).once("close", resolve).resume();
    if (typeof parent !== "number") return;
    const look = setInterval(() => {
      if (isAlive(parent)) return;
      clearInterval(look);
      resolve();
    }, lookMs);
    // What else the process does decides how long it lives.
    look.unref();
  });
}

/**
 * Returns the shell in which `npx quern` or a script of npm runs this command. Killing npm kills that shell, and does not signal the command.
 * A shell that starts the command in the background may end before it.
 */
export function npmParent({ env, ppid }: Pick<NodeJS.Process, "env" | "ppid">): Parent | undefined {
  return /^['"]?quern\b[^&|;]*$/.test(env.npm_lifecycle_script ?? "") ? ppid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
