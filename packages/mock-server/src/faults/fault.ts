import type { Duration } from "../time/duration.ts";
import type { FaultError, ResultOverride } from "../wire/reply.ts";

/** Fault of the connection that carries an answer; Toxiproxy calls it a toxic. */
export type ConnectionFault =
  /** No fault of the connection. */
  | "normal"
  /** Sends each byte in a chunk of its own. */
  | "byte-by-byte"
  /** Closes the connection after half of the body. */
  | "close-mid-body"
  /** Resets the connection after half of the body. */
  | "reset-mid-body"
  /** Sends half of the body, then nothing; the connection stays open. */
  | "stall-mid-body"
  /** Sends the headers, then blanks without end. */
  | "trickle"
  /** Closes the connection without an answer. */
  | "close"
  /** Resets the connection without an answer. */
  | "reset"
  /** Sends nothing; the connection stays open. */
  | "hang";

/** Defect of the JSON-RPC reply to one call, alone or in a batch. */
export type ReplyDefect =
  /** The id is 4711 instead of that of the call. */
  | "other-id"
  /** A number as id is sent as a string. */
  | "string-id"
  | "null-id"
  | "missing-id"
  /** The member `jsonrpc` is missing. */
  | "missing-version"
  /** As in JSON-RPC 1.0: `error` is null beside a result, and `jsonrpc` is missing. */
  | "json-rpc-1.0"
  | "result-and-error"
  | "no-result-or-error"
  /** The reply has members that JSON-RPC does not define. */
  | "extra-members"
  /** No reply is sent to the call. */
  | "missing-reply"
  /** The reply is sent twice. */
  | "duplicate-reply";

/**
 * Fault of one call: data only, so that it can be written as JSON. Omitted members cause no fault. The first group of members affects the
 * HTTP response, which the calls of a batch share; the second affects the reply to one call.
 */
export interface Fault {
  /** HTTP status, 200 to 599. */
  readonly status?: number;
  /** In a value, `{later}` is an HTTP date in an hour, `{earlier}` one an hour ago, and `{soon}` one in 1 to 2 seconds. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of the response; `{all}` in it stands for the correct body. */
  readonly body?: string;
  /** @default "normal" */
  readonly connection?: ConnectionFault;
  /** Time on the mock's clock before the first byte. @default 0 */
  readonly delay?: Duration;
  /** False if the server refuses the request before it performs any call. @default true */
  readonly performed?: boolean;

  readonly replyDefect?: ReplyDefect;
  /** Error that replaces the result. The call is not performed. */
  readonly error?: FaultError;
  /** Any JSON that replaces the result, or the error of a failed call. */
  readonly result?: unknown;
  /** Members to replace in the result, at any depth: `{ queryRun: { state: "HIBERNATING" } }`. */
  readonly override?: ResultOverride;
}
