import { homedir } from "node:os";
import { join } from "node:path";

/** Returns a path with the home folder in place of `~`, which no system shell replaces here. */
export function homePath(path: string): string {
  return /^~(?=[\\/]|$)/.test(path) ? join(homedir(), path.slice(1)) : path;
}
