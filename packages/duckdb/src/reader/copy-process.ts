import { siblingModule, startChild } from "../processes/child.ts";
import type { ReadingLimits } from "../results/engine.ts";
import type { SortedCopiesOptions } from "./sorted-copy.ts";
import type { CopyTask } from "./task.ts";

const maxMemoryBytes = 3_000_000_000;

/** Writes each sorted copy in a process of its own, which is killed when nobody waits for it. */
export function copyWriter(limits: ReadingLimits, maxCopyBytes: number): SortedCopiesOptions["write"] {
  const module = siblingModule("./copy-worker", import.meta.url);
  const maxDirectoryBytes = limits.spillMegabytes * 1_000_000 + maxCopyBytes;
  return async (task, directory, signal) => {
    signal.throwIfAborted();
    const child = startChild({ module, directory, maxMemoryBytes, maxDirectoryBytes });
    signal.addEventListener("abort", child.kill, { once: true });
    try {
      const asked: CopyTask = { task, ...limits };
      await child.call("copy", asked);
    } finally {
      signal.removeEventListener("abort", child.kill);
      child.kill();
      await child.ended;
    }
  };
}
