import { readdirSync, readFileSync } from "node:fs";
import { bounded } from "../measure.ts";
import { finishedRun, type Service } from "../service.ts";
import { DATA_SOURCE } from "./sourced-service.ts";

const SAMPLE_MS = 20;

/** Peak memory in megabytes. */
interface Peaks {
  readonly server: number;
  /** Memory of the child process that has the most. */
  readonly child: number;
}

/**
 * Measures the memory of the service and of its children for a result of one million and one of five million rows, each
 * on a new service.
 */
export async function flatMemory(
  name: string,
  start: () => Promise<Service>,
  statementOf: (millions: number) => string,
): Promise<void> {
  if (process.platform !== "linux") return console.log("memory is not measured: this system lacks /proc");
  const small = await peaksOf(start, statementOf(1));
  const large = await peaksOf(start, statementOf(5));
  for (const process of ["server", "child"] as const)
    console.log(
      `${name}, peak memory of the ${process}: ${small[process].toFixed(0)} MB for 1 million rows, ${large[process].toFixed(0)} MB for 5 million`,
    );
  const value = large.server - small.server;
  bounded({ what: `${name}, growth of the server from 1 to 5 million rows`, value, unit: " MB", atMost: 50 });
  const growth = large.child - small.child;
  bounded({ what: `${name}, growth of the child`, value: growth, unit: " MB", atMost: 100 });
}

async function peaksOf(start: () => Promise<Service>, sql: string): Promise<Peaks> {
  await using service = await start();
  await finishedRun(service.client, "select 1", { dataSource: DATA_SOURCE });
  let child = 0;
  const timer = setInterval(() => {
    child = Math.max(child, ...childMegabytes(service.pid));
  }, SAMPLE_MS);
  try {
    await finishedRun(service.client, sql, { dataSource: DATA_SOURCE });
  } finally {
    clearInterval(timer);
  }
  return { server: service.peakMegabytes() ?? Number.NaN, child };
}

/** Returns the memory of each child of a process. */
function childMegabytes(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const status = statusOf(name);
    if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== parent) return [];
    return [Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024];
  });
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return ""; // the process has ended
  }
}
