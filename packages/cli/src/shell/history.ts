import { appendFile, chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, posix, win32 } from "node:path";

/** Number of entries that the history keeps. */
export const historySize = 1_000;

/** File of the history, whose faults never disturb the shell. */
export interface History {
  /** Entries, newest first. */
  readonly entries: readonly string[];
  add(entry: string): Promise<void>;
}

interface Machine {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly platform: NodeJS.Platform;
  readonly home?: string;
}

/** Returns the file of the history of a profile, among the files of the user that describe a state. */
export function historyFile(profile: string, { env, platform, home = homedir() }: Machine): string {
  const name = `history-${encodeURIComponent(profile)}`;
  if (platform === "win32") return win32.join(env.LOCALAPPDATA || win32.join(home, "AppData", "Local"), "quern", name);
  const { XDG_STATE_HOME: state = "" } = env;
  // The specification of these directories ignores a relative path.
  return posix.join(posix.isAbsolute(state) ? state : posix.join(home, ".local", "state"), "quern", name);
}

/** Reads the history, and bounds its file. Only the user can read the file. */
export async function openHistory(file: string): Promise<History> {
  const lines = await readLines(file);
  const entries = lines.slice(-historySize);
  const mode = 0o600;
  if (lines.length > 2 * historySize) {
    const part = `${file}.${process.pid}.part`;
    await writeFile(part, entries.map((line) => `${line}\n`).join(""), { mode })
      .then(() => rename(part, file))
      .catch(() => {});
  }
  await chmod(file, mode).catch(() => {});
  return {
    entries: entries.toReversed(),
    async add(entry) {
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        // Several shells append to the same file.
        await appendFile(file, `${entry}\n`, { mode });
      } catch {
        // A history that cannot be written is kept in memory only.
      }
    },
  };
}

async function readLines(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  // A control character in the file would be drawn as it is.
  return text.split("\n").filter((line) => line !== "" && !/\p{Cc}/u.test(line.replaceAll("\t", "")));
}
