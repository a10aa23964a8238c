import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const intervalMs = 250;

/** Calls `onExceeded` once when the files below a folder have more bytes than they may. */
export function watchDisk(directory: string, maxBytes: number, onExceeded: () => void): () => void {
  if (maxBytes === Number.POSITIVE_INFINITY) return () => {};
  let isLooking = false; // at many files it takes longer than the interval
  const watch = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void bytesBelow(directory).then((bytes) => {
      isLooking = false;
      if (bytes <= maxBytes) return;
      clearInterval(watch);
      onExceeded();
    });
  }, intervalMs);
  watch.unref(); // the process keeps the server going while it must, not its watch
  return () => clearInterval(watch);
}

/** What the files below a folder take on the disk; a file that goes meanwhile takes nothing. */
async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const stats = await Promise.all(files.map((file) => lstat(file).catch(() => undefined)));
  return stats.reduce((sum, stat) => sum + (stat?.blocks ?? 0) * 512, 0);
}
