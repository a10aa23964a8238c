import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { FairSemaphore } from "@quern/adapter";
import type { ReadReply, ReadRequest, ThreadPriority } from "./read-worker.ts";
import type { Reader } from "./reader.ts";
import type { Reads } from "./reads.ts";
import { startThread } from "./thread.ts";

interface PendingRead {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The objects of a read are garbage at once. A larger heap for them would be used up to its end. */
const resourceLimits = { maxYoungGenerationSizeMb: 2 };

/** Reads that take little time and that calls of other methods wait for. */
const shortReads: ReadonlySet<keyof Reads> = new Set(["latestRequest", "queuePosition"]);

/**
 * Creates a reader with two threads: one for short reads, and one of a low priority for all others, so that a create or
 * a poll does not wait for the lists of another tenant.
 * @param admission admits the tenants of reads that are not short; undefined performs them in their order
 */
export function createThreadReaders(path: string, admission: FairSemaphore | undefined): Reader {
  const [short, long] = [createThreadReader(path, undefined, "normal"), createThreadReader(path, admission)];
  return {
    read: (tenantId, name, ...params) => (shortReads.has(name) ? short : long).read(tenantId, name, ...params),
    async close() {
      await Promise.all([short.close(), long.close()]);
    },
  };
}

/**
 * Creates a reader with a thread and a connection of its own. The thread starts with the first read, and starts again
 * after a failure. It sees each change that was committed before the read began.
 * @param path database, which must exist
 * @param admission admits the tenants of waiting reads; undefined performs the reads in their order
 */
export function createThreadReader(
  path: string,
  admission: FairSemaphore | undefined,
  priority: ThreadPriority = "low",
): Reader {
  const closing = new AbortController();
  const pending = new Map<number, PendingRead>();
  let thread: Worker | undefined;
  let lastId = 0;

  function start(): Worker {
    const worker = startThread("read-worker", { workerData: { path, priority }, resourceLimits });
    const fail = (error: Error): void => {
      // A thread that has failed also ends, when another one may have been started.
      if (thread !== worker) return;
      thread = undefined;
      for (const read of pending.values()) read.reject(error);
      pending.clear();
    };
    worker.on("message", ({ id, value, failure }: ReadReply) => {
      const read = pending.get(id);
      pending.delete(id);
      if (pending.size === 0) worker.unref();
      if (failure === undefined) read?.resolve(value);
      else read?.reject(Object.assign(new Error(failure.message), failure));
    });
    worker.on("error", fail);
    worker.on("exit", () => fail(new Error("the thread that reads the store has ended")));
    return worker;
  }

  function send(request: Omit<ReadRequest, "id">): Promise<unknown> {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      thread ??= start();
      pending.set(id, { resolve, reject });
      // The thread keeps the process alive only while a read is in progress.
      thread.ref();
      thread.postMessage({ id, ...request } satisfies ReadRequest);
    });
  }

  return {
    async read(tenantId, name, ...params) {
      closing.signal.throwIfAborted();
      const release = await admission?.acquire(tenantId, closing.signal);
      try {
        return (await send({ name, params })) as ReturnType<Reads[typeof name]>; // returned by `perform`
      } finally {
        // The next answer comes in a later iteration of the event loop, which serves other events between large answers.
        if (release !== undefined) void yieldToEventLoop().then(release);
      }
    },
    async close() {
      closing.abort(new Error("the store is closed"));
      const worker = thread;
      if (worker === undefined) return;
      worker.ref();
      worker.postMessage(undefined);
      await new Promise((resolve) => worker.once("exit", resolve));
    },
  };
}
