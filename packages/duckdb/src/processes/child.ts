import { extname } from "node:path";
import { EngineLostError, StatementError, type StatementFailure } from "@quern/adapter";
import { type ChildKind, countChild } from "./child-counts.ts";
import { killLaunched, type LaunchOptions, launch } from "./launch.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import type { ChildMessage, ParentMessage } from "./serving.ts";
import { startHeartbeat, watchDisk, watchMemory } from "./watchdogs.ts";

export interface ChildOptions extends LaunchOptions {
  /** Work of the process, for `childCounts`. @default "other" */
  readonly kind?: ChildKind;
  /** Module that the process runs. It calls `serveParent`. */
  readonly module: URL;
  /** Working directory of the process. No other process uses it. */
  readonly directory: string;
  /** Budget for the memory of this and other processes together, in addition to `maxMemoryBytes`. @default no limit */
  readonly memory?: MemoryBudget | undefined;
  /** Largest size of the files below the directory together, without shared ones, in bytes. @default no limit */
  readonly maxDirectoryBytes?: number;
  /** Time that an interrupted call has to end before its process is killed, in milliseconds. @default 2,000 */
  readonly interruptGraceMs?: number;
}

/** Process whose tasks are called like functions. */
export interface Child {
  readonly pid: number;
  /** Resolves when the process accepts calls. Rejects if it ends before. */
  readonly ready: Promise<void>;
  readonly hasEnded: boolean;
  /** Resolves with the cause when the process has ended, as a part of a sentence: "the process exited with code 1". */
  readonly ended: Promise<string>;
  /**
   * Performs a task in the process. If `signal` is aborted, the task is interrupted, and the process is killed if it
   * has not answered after the grace time.
   * @param onProgress called with the completed share of the work, from 0 to 1, if the task reports it
   * @throws {StatementError} if the task fails, or if the process exceeds a limit
   * @throws {EngineLostError} if the process ends before it answers
   * @throws the reason of the signal, if it is aborted before the task is sent
   */
  call(task: string, argument: unknown, signal?: AbortSignal, onProgress?: (share: number) => void): Promise<unknown>;
  /** Replaces `maxDirectoryBytes`. */
  limitDirectory(maxBytes: number): void;
  kill(): void;
}

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly onProgress: ((share: number) => void) | undefined;
}

/**
 * Returns the URL of a module beside the caller's, as TypeScript source or as built JavaScript like the caller itself. The
 * module of a process is always the built one: from TypeScript, a process starts in four times the time.
 */
export function siblingModule(name: string, callerUrl: string): URL {
  const { href } = new URL(`${name}${extname(callerUrl)}`, callerUrl);
  return new URL(href.replace(/\/src\/(.+worker)\.ts$/, "/dist/$1.js"));
}

/** Starts a process, and watches its memory, disk use and heartbeat until it ends. */
export function startChild(options: ChildOptions): Child {
  const { interruptGraceMs = 2_000, maxDirectoryBytes = Number.POSITIVE_INFINITY, memory } = options;
  const process = launch(options.module, options.directory, options);
  const kill = (): void => killLaunched(process);
  const calls = new Map<number, PendingCall>();
  const stopCount = countChild(options.kind ?? "other", () => calls.size > 0);
  let lastId = 0;
  // Set once the process has ended.
  let cause: string | undefined;
  // Set before a process is killed for a limit: its calls then fail with the limit and not with the signal.
  let excess: StatementFailure | undefined;
  let isSilent = false;
  let markReady: () => void;

  const exceed = (excessCause: string, action?: string): void => {
    excess = limitExceeded(excessCause, action);
    kill();
  };
  const stopMemoryWatch = watchMemory(process.pid ?? 0, options.maxMemoryBytes, () =>
    exceed(tooMuch(megabytes(options.maxMemoryBytes), "memory")),
  );
  const stopCounting = memory?.add(process.pid ?? 0, () => {
    const limit = megabytes(memory.maxBytes);
    const all = `all processes of the service together used more than ${limit} of memory, and this one used the most`;
    exceed(all, "query less data, or try again when fewer queries run");
  });
  const startDiskWatch = (maxBytes: number): (() => void) =>
    watchDisk(options.directory, maxBytes, () => exceed(tooMuch(megabytes(maxBytes), "disk space")));
  let stopDiskWatch = startDiskWatch(maxDirectoryBytes);
  const heartbeat = startHeartbeat(
    () => send({ type: "ping" }),
    () => {
      isSilent = true;
      kill();
    },
  );
  const ended = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      if (cause !== undefined) return; // a process that cannot be started can emit both "error" and "exit"
      cause = reason;
      stopCount();
      stopMemoryWatch();
      stopCounting?.();
      stopDiskWatch();
      heartbeat.stop();
      for (const { reject } of calls.values())
        reject(excess === undefined ? new EngineLostError(reason) : new StatementError(excess));
      calls.clear();
      resolve(reason);
    };
    process.on("error", (error) => end(`the process could not be started: ${error.message}`));
    process.on("exit", (code, signal) => {
      // The kernel sends SIGXCPU at the soft limit of processor time.
      if (signal === "SIGXCPU") excess = limitExceeded(tooMuch(seconds(options.maxProcessorSeconds), "processor time"));
      if (isSilent) end("the process was killed because it answered no ping");
      else end(signal === null ? `the process exited with code ${code}` : `the process was ended by ${signal}`);
    });
  });
  const ready = new Promise<void>((resolve, reject) => {
    markReady = resolve;
    void ended.then((reason) => reject(new EngineLostError(reason)));
  });
  ready.catch(() => {}); // callers of `call` get the rejection; without a call it must not be unhandled

  process.on("message", (message: ChildMessage) => {
    if (message.type === "ready") return markReady();
    if (message.type === "pong") return heartbeat.answered();
    const call = calls.get(message.id);
    if (message.type === "progress") return call?.onProgress?.(message.share);
    calls.delete(message.id);
    if (message.type === "value") call?.resolve(message.value);
    else call?.reject(new StatementError(message.failure));
  });

  const send = (message: ParentMessage): void => {
    process.send(message, (error) => {
      if (error !== null) kill();
    });
  };

  return {
    pid: process.pid ?? 0,
    ready,
    ended,
    get hasEnded() {
      return cause !== undefined;
    },
    kill,
    limitDirectory(maxBytes) {
      stopDiskWatch();
      if (cause === undefined) stopDiskWatch = startDiskWatch(maxBytes);
    },
    async call(task, argument, signal, onProgress) {
      await ready;
      signal?.throwIfAborted();
      const id = ++lastId;
      const answer = new Promise<unknown>((resolve, reject) => {
        if (cause === undefined) calls.set(id, { resolve, reject, onProgress });
        else reject(new EngineLostError(cause));
      });
      if (cause === undefined) send({ type: "call", id, task, argument });
      let grace: NodeJS.Timeout | undefined;
      const interrupt = (): void => {
        send({ type: "interrupt", id });
        grace = setTimeout(kill, interruptGraceMs);
      };
      signal?.addEventListener("abort", interrupt, { once: true });
      try {
        return await answer;
      } finally {
        clearTimeout(grace);
        signal?.removeEventListener("abort", interrupt);
      }
    },
  };
}

function tooMuch(limit: string | undefined, resource: string): string {
  return `the process used ${limit === undefined ? "too much" : `more than ${limit} of`} ${resource}`;
}

/** Returns a limit as text; undefined without one. A process without a limit can have inherited one. */
function seconds(limit: number | undefined): string | undefined {
  return limit === undefined ? undefined : `${limit} s`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function limitExceeded(cause: string, action = "query less data"): StatementFailure {
  return {
    name: "LimitExceeded",
    message: `Limit exceeded: ${cause}; ${action}.`,
    data: { category: "RESOURCE", retryable: true },
  };
}
