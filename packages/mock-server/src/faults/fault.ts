import type { Duration } from "../time/duration.ts";
import type { FaultError } from "../wire/reply.ts";

/** Transmission of an answer. */
export type Travel =
  /** In one piece. */
  | "whole"
  /** In chunks of one byte each. */
  | "bytes"
  /** The connection closes after half of the body. */
  | "cut"
  /** The connection is reset after half of the body. */
  | "reset"
  /** Nothing follows half of the body, and the connection stays. */
  | "stall"
  /** Blanks follow the head for ever. */
  | "trickle"
  /** The connection closes without an answer. */
  | "no answer, closed"
  /** The connection is reset without an answer. */
  | "no answer, reset"
  /** Nothing comes, and the connection stays. */
  | "silence";

/** Defect of the reply to one call, alone or in a batch. */
export type Misreply =
  | "the id of another call"
  | "the id as text"
  | "the id null"
  | "no id"
  | "no version"
  | "JSON-RPC 1.0 with error null"
  | "both result and error"
  | "neither result nor error"
  | "members beyond the standard"
  | "a member missing"
  | "a reply twice";

/**
 * Fault of one call: data only, so that it can be kept as JSON. Members that are not given are as they should be. The members
 * of the first group are about the whole HTTP answer, which the calls of a batch share; the others about the one reply.
 */
export interface Fault {
  readonly status?: number;
  /** `{later}` in a value is an HTTP date an hour from now, `{earlier}` one an hour ago, `{soon}` the next but one second. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `{all}` is the right body. */
  readonly body?: string;
  readonly travel?: Travel;
  /** Time on the mock's clock before the first byte. */
  readonly delay?: Duration;
  /** False where the server refuses before anything is performed. */
  readonly performed?: boolean;

  readonly reply?: Misreply;
  /** In place of the result. The call is not performed. */
  readonly error?: FaultError;
  /** In place of the result, any JSON. */
  readonly result?: unknown;
  /** Members of the result that are other than they should be: `{ queryRun: { state: "HIBERNATING" } }`. */
  readonly change?: Readonly<Record<string, unknown>>;
}
