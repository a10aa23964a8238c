import { join } from "node:path";
import type { SourceKind, WrittenResult } from "@quern/adapter";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
// As built: it starts faster than from its sources.
import { startChild } from "../../dist/processes/child.js";
import type { Executor } from "../../src/executor/executor.ts";
import { sourceKindOf } from "../../src/source-kind.ts";

const module = new URL("../../dist/executor/worker.js", import.meta.url);
const limits = { maxMemoryBytes: 4_000_000_000, maxProcessorSeconds: 600, maxFileBytes: 1_000_000_000 };

/**
 * Runs the statements of a test one after the other in one process of the real executor, which starts a process for
 * each (200 ms). Each statement still has an engine of its own.
 */
export async function oneProcessKind(): Promise<SourceKind> {
  const directory = await temporaryDirectory();
  const child = startChild({ module, directory, ...limits });
  const engine = { directory, threads: 1, memoryMegabytes: 1_000, spillMegabytes: 100 };
  let free: Promise<void> = Promise.resolve();

  /** Resolves with a function that lets the next statement begin. */
  async function take(): Promise<() => void> {
    const before = free;
    let release = (): void => {};
    free = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  }

  async function perform(task: string, argument: object, signal: AbortSignal): Promise<unknown> {
    await child.call("open", engine);
    return child.call(task, argument, signal);
  }

  /** Performs a task whose answer is all that is wanted. */
  async function answerOf(task: string, argument: object, signal: AbortSignal): Promise<never> {
    const release = await take();
    return perform(task, argument, signal).finally(release) as Promise<never>;
  }

  const executor: Executor = {
    async execute(query, caps, signal) {
      const release = await take();
      try {
        const written = (await perform("execute", { ...query, ...caps }, signal)) as Omit<WrittenResult, "release">;
        return { ...written, release: async () => release() };
      } catch (error) {
        release();
        throw error;
      }
    },
    describe: (query, signal) => answerOf("describe", query, signal),
    tables: (databases, signal) => answerOf("tables", { databases }, signal),
    complete: (query, position, signal) => answerOf("complete", { ...query, position }, signal),
    async close() {
      child.kill();
      await child.ended;
    },
  };
  return sourceKindOf(executor, join(directory, "links"));
}
