import type { Description, Executor, Statement, WrittenResult } from "@quern/adapter";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
// As built, like the server: what both throw are the same classes.
import { startChild } from "../../dist/processes/child.js";

const module = new URL("../../dist/executor/worker.js", import.meta.url);
const limits = { maxMemoryBytes: 4_000_000_000, maxProcessorSeconds: 600, maxFileBytes: 1_000_000_000 };
const cap = { maxResultBytes: 1_000_000_000, maxResultRows: 1_000_000 };

/**
 * Runs the statements of a test one after the other in one process of the real executor, which starts a process for
 * each (200 ms). Each statement still has an engine of its own.
 */
export async function oneProcessExecutor(): Promise<Executor> {
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

  async function perform(task: string, { source, ...statement }: Statement, signal: AbortSignal): Promise<unknown> {
    await child.call("open", engine);
    return child.call(task, { ...statement, lowerCaseColumns: source.lowerCaseColumns, ...cap }, signal);
  }

  return {
    async execute(statement, signal, onExecuted): Promise<WrittenResult> {
      const release = await take();
      try {
        const written = (await perform("execute", statement, signal)) as Omit<WrittenResult, "release">;
        await onExecuted();
        return { ...written, release: async () => release() };
      } catch (error) {
        release();
        throw error;
      }
    },
    async describe(statement, signal): Promise<Description> {
      const release = await take();
      return perform("describe", statement, signal).finally(release) as Promise<Description>;
    },
    async close() {
      child.kill();
      await child.ended;
    },
  };
}
