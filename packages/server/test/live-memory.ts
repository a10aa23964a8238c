import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void; // the flag adds it to new contexts

/** Memory of a process after a garbage collection, in megabytes. */
export interface LiveMemory {
  /** Resident memory without the free space that V8 keeps. */
  readonly resident: number;
  /** Objects and buffers. */
  readonly objects: number;
}

/** Collects garbage, and measures the memory of this process. */
export function liveMemory(): LiveMemory {
  collectGarbage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  return {
    resident: Math.round((rss - heapTotal + heapUsed) / 1e6),
    objects: Math.round((heapUsed + external) / 1e5) / 10,
  };
}
