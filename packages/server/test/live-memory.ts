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

/** Returns the size of the objects and buffers of this process after a garbage collection, in megabytes. */
export function objectMegabytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1e5) / 10;
}
