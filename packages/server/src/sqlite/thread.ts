import { extname } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a thread of the store. @param name module beside this one */
export function startThread(name: "checkpoint-worker" | "read-worker", options: WorkerOptions): Worker {
  // TypeScript source or built JavaScript, like this module.
  const module = new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
  // Without the options of the process, such as `--input-type`, which are meant for its main module.
  return new Worker(module, { ...options, execArgv: [] });
}
