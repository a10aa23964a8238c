import { type Child, siblingModule, startChild } from "../processes/child.ts";
import type { ChildDirectory } from "../processes/child-directory.ts";
import type { ProcessPriority } from "../processes/launch.ts";
import type { MemoryBudget } from "../processes/memory-budget.ts";
import type { UserIds } from "../processes/user-ids.ts";
import type { ReadingLimits } from "../results/engine.ts";
import type { PageAnswer, PageTask, ProfileTask, SummaryTask } from "./task.ts";

/** Limits, users and parent directory of the processes that read pages. */
export interface PageProcessOptions extends ReadingLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** User ids of the processes. @default the user of the service for all */
  readonly userIds?: UserIds | undefined;
  /** Budget for the memory of these and other processes together. @default no limit in addition to that of each process */
  readonly memory?: MemoryBudget | undefined;
  /** Priority of the processes: that of the server, or lower. @default "normal" */
  readonly priority?: ProcessPriority | undefined;
}

/** Process that reads pages, and its working directory. */
export interface PageProcess {
  readonly child: Child;
  readonly directory: ChildDirectory;
}

const maxMemoryBytes = 4_000_000_000;

/** Starts a process that reads pages. @param interruptGraceMs Time that an interrupted page has to end, in milliseconds. */
export function startPageProcess(
  { path, userId }: ChildDirectory,
  { spillMegabytes, memory, priority = "normal" }: PageProcessOptions,
  interruptGraceMs = 2_000,
): Child {
  const module = siblingModule("./page-worker", import.meta.url);
  const child = startChild({
    module,
    directory: path,
    kind: "page",
    userId,
    memory,
    priority,
    maxMemoryBytes,
    interruptGraceMs,
  });
  const limits: ReadingLimits = { spillMegabytes };
  child.call("open", limits).catch(() => {}); // the first page fails with the same error
  return child;
}

/** Reads a page in a process. @throws {EngineLostError} if the process ends before it answers */
export async function readPage(process: PageProcess, task: PageTask, signal: AbortSignal): Promise<PageAnswer> {
  return (await call(process, "page", task, signal)) as PageAnswer; // returned by `page-worker.ts`
}

/** Profiles a column in a process. @throws {EngineLostError} if the process ends before it answers */
export async function readProfile(process: PageProcess, task: ProfileTask, signal: AbortSignal): Promise<string> {
  return String(await call(process, "profile", task, signal));
}

/** Summarizes rows in a process. @throws {EngineLostError} if the process ends before it answers */
export async function readSummary(process: PageProcess, task: SummaryTask, signal: AbortSignal): Promise<string> {
  return String(await call(process, "summary", task, signal));
}

async function call(
  { child, directory }: PageProcess,
  name: "page" | "profile" | "summary",
  task: PageTask,
  signal: AbortSignal,
): Promise<unknown> {
  const files = task.paths.map((file) => directory.share(file));
  try {
    const paths = files.map(({ path }) => path);
    return await child.call(name, { ...task, paths }, signal);
  } finally {
    for (const file of files) file.release();
  }
}
