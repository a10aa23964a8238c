// Program that takes all processors: a busy loop in a thread for each.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

for (let thread = 0; thread < availableParallelism(); thread += 1) new Worker("for (;;);", { eval: true });
process.send?.("ready");
