import { join } from "node:path";
import type { SourceKind } from "@quern/adapter";
import { afterAll, beforeAll } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
// The built package is used, because its processes start faster than from sources.
import { startChild } from "../../dist/processes/child.js";
import type { Executor } from "../../src/executor/executor.ts";
import type { ExecuteAnswer } from "../../src/executor/task.ts";
import { resultFile } from "../../src/results/output-file.ts";
import { sourceKindOf } from "../../src/source-kind.ts";

const module = new URL("../../dist/executor/worker.js", import.meta.url);
const limits = { maxMemoryBytes: 4_000_000_000, maxProcessorSeconds: 600, maxFileBytes: 1_000_000_000 };

/**
 * Runs the statements of a test one after the other in one process, each in an engine of its own, and without the pool of
 * the real executor.
 */
export async function oneProcessKind(): Promise<SourceKind> {
  const directory = await temporaryDirectory();
  const child = startChild({ module, directory, ...limits });
  const engine = { directory, threads: 1, memoryMegabytes: 1_000, spillMegabytes: 100, isolation: "run" };
  let free: Promise<void> = Promise.resolve();

  /** Resolves with a function that starts the next statement. */
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

  /** Performs a task that leaves no file behind. */
  async function answerOf(task: string, argument: object, signal: AbortSignal): Promise<never> {
    const release = await take();
    return perform(task, argument, signal).finally(release) as Promise<never>;
  }

  const executor: Executor = {
    async execute(query, caps, signal) {
      const release = await take();
      try {
        const answer = (await perform("execute", { ...query, ...caps }, signal)) as ExecuteAnswer;
        const { cells, ...written } = answer;
        const end = async (): Promise<void> => release();
        if (cells !== undefined) return { ...written, cells, release: end };
        return { ...written, path: join(directory, resultFile), release: end };
      } catch (error) {
        release();
        throw error;
      }
    },
    describe: (query, signal) => answerOf("describe", query, signal),
    tables: (data, signal) => answerOf("tables", data, signal),
    complete: (query, position, signal) => answerOf("complete", { ...query, position }, signal),
    async close() {
      child.kill();
      await child.ended;
    },
  };
  return sourceKindOf(executor, join(directory, "links"));
}

/**
 * Starts the process before the tests of a file, and ends it after them. Returns a function that gives it to each server
 * of the file, which does not end it when it closes.
 */
export function oneProcessOfFile(): () => SourceKind {
  let kind: SourceKind | undefined;
  beforeAll(async () => {
    kind = await oneProcessKind();
  });
  afterAll(() => kind?.close());
  return () => {
    if (kind === undefined) throw new Error("The process starts before the first test.");
    return { ...kind, close: async () => {} };
  };
}
