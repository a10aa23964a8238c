import type { StatementFailure } from "@quern/adapter";

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
