import { StatementError, type StatementFailure } from "@quern/adapter";

/** What travels between the server and a child process; structured clone, so bytes stay bytes. */

export interface CallMessage {
  readonly type: "call";
  readonly id: number;
  readonly task: string;
  readonly argument: unknown;
}

/** Asks the child to give up a call; it still answers it. */
interface InterruptMessage {
  readonly type: "interrupt";
  readonly id: number;
}

/** Asks for a sign of life, which is given while a call is under way, too. */
interface PingMessage {
  readonly type: "ping";
}

export type ParentMessage = CallMessage | InterruptMessage | PingMessage;

export type ChildMessage =
  | { readonly type: "ready" }
  | { readonly type: "pong" }
  /** Share of a call's work that is done, from 0 to 1. */
  | { readonly type: "progress"; readonly id: number; readonly share: number }
  | { readonly type: "value"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly failure: StatementFailure };

/**
 * The child's half: performs one task.
 * @param signal aborted when the parent asks to give the task up
 * @param report tells the parent the share of the work that is done, from 0 to 1
 */
export type TaskHandler = (argument: unknown, signal: AbortSignal, report: (share: number) => void) => Promise<unknown>;

/**
 * Serves calls of the parent process over the IPC channel, which is the only channel: SQL can write to stdout.
 * The process ends with its parent, also while the engine is busy.
 */
export function serveParent(handlers: Readonly<Record<string, TaskHandler>>): void {
  const calls = new Map<number, AbortController>();

  async function perform(call: CallMessage): Promise<ChildMessage> {
    const controller = new AbortController();
    calls.set(call.id, controller);
    try {
      const handler = handlers[call.task];
      if (handler === undefined) throw new Error(`there is no task ${call.task}`);
      const report = (share: number): void => send({ type: "progress", id: call.id, share });
      return { type: "value", id: call.id, value: await handler(call.argument, controller.signal, report) };
    } catch (error) {
      return { type: "failure", id: call.id, failure: toFailure(error) };
    } finally {
      calls.delete(call.id);
    }
  }

  process.on("message", (message: ParentMessage) => {
    if (message.type === "ping") send({ type: "pong" });
    else if (message.type === "interrupt") calls.get(message.id)?.abort();
    else void perform(message).then(send);
  });
  // exit() would wait for the engine's threads.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  send({ type: "ready" });
}

function send(message: ChildMessage): void {
  // When the channel has just gone, so has the parent, and `disconnect` ends this process.
  if (process.connected) process.send?.(message, () => {});
}

/** What the parent is told of anything thrown. */
export function toFailure(error: unknown): StatementFailure {
  if (error instanceof StatementError) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { name: "InternalError", message, data: { category: "INTERNAL" } };
}
