// Worker that requests `/healthz` of a service again and again, and reads the memory of its process. It has a thread of
// its own, so that the calls of the benchmark do not delay its requests.
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { url, pid } = workerData as { readonly url: string; readonly pid: number };
const PAUSE_MS = 5;
const health = new URL("/healthz", url);
let isStopped = false;
parentPort?.once("message", () => {
  isStopped = true;
});

const times: number[] = [];
let megabytes = 0;
do {
  const start = performance.now();
  await (await fetch(health)).text();
  times.push(performance.now() - start);
  // Without a pause the requests themselves would take a processor, and let the heap of the service grow.
  await setTimeout(PAUSE_MS);
  megabytes = Math.max(megabytes, residentMegabytes());
} while (!isStopped);
parentPort?.postMessage({ times, megabytes });

function residentMegabytes(): number {
  if (process.platform !== "linux") return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
