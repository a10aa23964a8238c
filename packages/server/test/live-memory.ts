import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void; // the flag adds it to new contexts

/** Returns the memory of this process after a garbage collection, without the free space that V8 keeps, in megabytes. */
export function liveMegabytes(): number {
  collectGarbage();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return Math.round((rss - heapTotal + heapUsed) / 1e6);
}
