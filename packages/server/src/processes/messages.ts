import type { QueryRunErrorData } from "@quern/protocol/types";

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
  | { readonly type: "value"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly failure: CallFailure };

/** Why a call failed, in a form that survives the way between processes. */
export interface CallFailure {
  readonly name: string;
  readonly message: string;
  readonly data: QueryRunErrorData;
}

/** A failure that the child explains itself, thrown on both sides of the channel. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The child ended before it answered. */
export class ChildLostError extends Error {
  override readonly name = "ChildLostError";
}
