import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Child, siblingModule, startChild } from "../../processes/child.ts";
import { ChildLostError } from "../../processes/messages.ts";
import type { InspectedFile, InspectTask, PageAnswer, PageTask } from "./task.ts";

/** Reads stored results in a process of its own, which is started again when it dies. */
export interface ResultReader {
  inspect(task: InspectTask): Promise<InspectedFile>;
  page(task: PageTask, signal: AbortSignal): Promise<PageAnswer>;
  close(): Promise<void>;
}

const maxMemoryBytes = 4_000_000_000;
/** Pages of 30 MB that are under way at once; the others wait, so that the server's memory is bounded. */
const maxPagesUnderWay = 2;
const pageTimeoutMs = 60_000;

export function createResultReader(workDirectory: string): ResultReader {
  const module = siblingModule("./worker", import.meta.url);
  const directory = join(workDirectory, `reader-${process.pid}`);
  const waiting: (() => void)[] = [];
  let pagesUnderWay = 0;
  let child: Promise<Child> | undefined;
  let closed = false;

  async function start(): Promise<Child> {
    await mkdir(directory, { recursive: true });
    const started = startChild({ module, directory, maxMemoryBytes });
    void started.ended.then(() => {
      child = undefined;
    });
    return started;
  }

  async function call(task: string, argument: InspectTask | PageTask, signal?: AbortSignal): Promise<unknown> {
    if (closed) throw new Error("the result reader is closed");
    child ??= start();
    return (await child).call(task, argument, signal);
  }

  /** Reading changes nothing, so a call whose process died is made once more. */
  async function callTwice(task: string, argument: InspectTask | PageTask, signal?: AbortSignal): Promise<unknown> {
    try {
      return await call(task, argument, signal);
    } catch (error) {
      if (!(error instanceof ChildLostError) || closed || signal?.aborted) throw error;
      return call(task, argument, signal);
    }
  }

  child = start();
  child.catch(() => {}); // the first call learns of it
  return {
    inspect: (task) => callTwice("inspect", task) as Promise<InspectedFile>, // written by the worker beside this file
    async page(task, signal) {
      if (pagesUnderWay >= maxPagesUnderWay) await new Promise<void>((resolve) => waiting.push(resolve));
      else pagesUnderWay += 1;
      try {
        const deadline = AbortSignal.any([signal, AbortSignal.timeout(pageTimeoutMs)]);
        return (await callTwice("page", task, deadline)) as PageAnswer; // written by the worker beside this file
      } finally {
        const next = waiting.shift();
        if (next === undefined) pagesUnderWay -= 1;
        else next();
      }
    },
    async close() {
      closed = true;
      const last = await child?.catch(() => undefined);
      last?.kill();
      await last?.ended;
    },
  };
}
