/** Child side of the calls between the server and its child processes, and the messages of both sides. */
import { isStatementError, type StatementFailure } from "@quern/adapter";
import { withDiskFull } from "./disk-full.ts";

/** Asks the child to perform a task. Messages are structured clones, so bytes and big integers keep their types. */
interface CallMessage {
  readonly type: "call";
  readonly id: number;
  readonly task: string;
  readonly argument: unknown;
}

/** Aborts the signal of a task. The child still answers the call. */
interface InterruptMessage {
  readonly type: "interrupt";
  readonly id: number;
}

/** Asks for a pong. The child answers while a task runs, too. */
interface PingMessage {
  readonly type: "ping";
}

/** Message from the server to a child. */
export type ParentMessage = CallMessage | InterruptMessage | PingMessage;

/** Message from a child to the server. A call is answered by one value or one failure. */
export type ChildMessage =
  | { readonly type: "ready" }
  | { readonly type: "pong" }
  /** Completed share of the work of a call, from 0 to 1. */
  | { readonly type: "progress"; readonly id: number; readonly share: number }
  | { readonly type: "value"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly failure: StatementFailure };

/**
 * Performs one task in the child.
 * @param signal aborted when the server interrupts the call
 * @param report sends the completed share of the work, from 0 to 1, to the server
 */
export type TaskHandler = (argument: unknown, signal: AbortSignal, report: (share: number) => void) => Promise<unknown>;

/**
 * Serves the calls of the parent process. It uses the IPC channel alone, because SQL can write to stdout. The process
 * ends with its parent, even if the engine is busy.
 */
export function serveParent(handlers: Readonly<Record<string, TaskHandler>>): void {
  const calls = new Map<number, AbortController>();

  async function perform(call: CallMessage): Promise<ChildMessage> {
    const controller = new AbortController();
    calls.set(call.id, controller);
    try {
      const handler = handlers[call.task];
      if (handler === undefined) throw new Error(`Unknown task: ${call.task}`);
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
  // `process.exit()` would wait for the threads of the engine.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  send({ type: "ready" });
}

function send(message: ChildMessage): void {
  // A closed channel means that the parent has ended; "disconnect" then ends this process.
  if (process.connected) process.send?.(message, () => {});
}

/** Converts anything thrown to the failure that the parent receives. */
export function toFailure(error: unknown): StatementFailure {
  if (isStatementError(error)) return withDiskFull(error.failure);
  const message = error instanceof Error ? error.message : String(error);
  return withDiskFull({ name: "InternalError", message, data: { category: "INTERNAL" } });
}
