import { extname } from "node:path";
import { EngineLostError, StatementError, type StatementFailure } from "@quern/adapter";
import { killLaunched, launch, type ProcessLimits } from "./launch.ts";
import type { ChildMessage, ParentMessage } from "./serving.ts";
import { startHeartbeat, watchDisk, watchMemory } from "./watchdogs.ts";

export interface ChildOptions extends ProcessLimits {
  /** The module the process runs. */
  readonly module: URL;
  /** Its own working directory. */
  readonly directory: string;
  /** Of all files in its directory together. No limit where left out. */
  readonly maxDirectoryBytes?: number;
  /** How long an interrupted call may take to end before its process is killed; 2,000 where left out. */
  readonly interruptGraceMs?: number;
}

export interface Child {
  readonly pid: number;
  /** Resolves once the process serves calls; rejects when it ends before. */
  readonly ready: Promise<void>;
  readonly hasEnded: boolean;
  /** Resolves with the cause when the process has ended. */
  readonly ended: Promise<string>;
  /**
   * Performs a task in the process. When `signal` is aborted the process is asked to give up, and is killed when it has
   * not answered after the grace time.
   * @param onProgress called with the share of the work that is done, from 0 to 1, where the task reports it
   * @throws {StatementError} what the task failed with
   * @throws {EngineLostError} the process ended first
   */
  call(task: string, argument: unknown, signal?: AbortSignal, onProgress?: (share: number) => void): Promise<unknown>;
  kill(): void;
}

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly onProgress: ((share: number) => void) | undefined;
}

/** The module beside the caller's, in whichever form the caller itself runs. */
export function siblingModule(name: string, callerUrl: string): URL {
  return new URL(`${name}${extname(callerUrl)}`, callerUrl);
}

export function startChild(options: ChildOptions): Child {
  const { interruptGraceMs = 2_000 } = options;
  const process = launch(options.module, options.directory, options);
  const kill = (): void => killLaunched(process);
  const calls = new Map<number, PendingCall>();
  let lastId = 0;
  let cause: string | undefined;
  let excess: StatementFailure | undefined;
  let isSilent = false;
  let markReady: () => void;

  const exceed = (what: string): void => {
    excess = exceeded(what);
    kill();
  };
  const { maxDirectoryBytes = Number.POSITIVE_INFINITY } = options;
  const stopMemoryWatch = watchMemory(process.pid ?? 0, options.maxMemoryBytes, () => exceed("memory"));
  const stopDiskWatch = watchDisk(options.directory, maxDirectoryBytes, () => exceed("of the disk"));
  const heartbeat = startHeartbeat(
    () => send({ type: "ping" }),
    () => {
      isSilent = true;
      kill();
    },
  );
  const ended = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      if (cause !== undefined) return;
      cause = reason;
      stopMemoryWatch();
      stopDiskWatch();
      heartbeat.stop();
      for (const { reject } of calls.values())
        reject(excess === undefined ? new EngineLostError(reason) : new StatementError(excess));
      calls.clear();
      resolve(reason);
    };
    process.on("error", (error) => end(`the process could not be started: ${error.message}`));
    process.on("exit", (code, signal) => {
      if (signal === "SIGXCPU") excess = exceeded("processor time");
      if (isSilent) end("the process did nothing more");
      else end(signal === null ? `the process exited with code ${code}` : `the process was ended by ${signal}`);
    });
  });
  const ready = new Promise<void>((resolve, reject) => {
    markReady = resolve;
    void ended.then((reason) => reject(new EngineLostError(reason)));
  });
  ready.catch(() => {}); // whoever needs the process awaits it; nobody else must

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

function exceeded(what: string): StatementFailure {
  return {
    name: "LimitExceeded",
    message: `The process of the statement used more ${what} than it may.`,
    data: { category: "RESOURCE", retryable: true },
  };
}
