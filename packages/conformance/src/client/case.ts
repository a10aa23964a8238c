/**
 * Test cases for a client on an unreliable network. They are data only, so that a table of cases can be stored as JSON.
 */

/** One method call. */
export interface CaseCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Connection of a response: `normal`, or one of the faults. */
export type ConnectionFault =
  /** Sends the response in one piece. */
  | "normal"
  /** Sends the body in chunks of one byte. */
  | "byte-by-byte"
  /** Closes the connection after half of the body. */
  | "close-mid-body"
  /** Resets the connection after half of the body. */
  | "reset-mid-body"
  /** Sends half of the body and keeps the connection open. */
  | "stall-mid-body"
  /** Sends half of the headers and keeps the connection open. */
  | "stall-mid-headers"
  /** Sends whitespace after the headers without end. */
  | "trickle"
  /** Closes the connection without a response. */
  | "close"
  /** Resets the connection without a response. */
  | "reset"
  /** Sends nothing and keeps the connection open. */
  | "hang"
  /** Sends the response in one piece, then closes a connection that should stay open. */
  | "close-after-body";

/** Fault of the HTTP requests that match it. Without a member, that part of the response is correct. */
export interface Fault {
  /** Matches only requests that carry this method. */
  readonly on?: string;
  /** Matches only requests with a call that has this member in its params, of the method `on` if that is given. */
  readonly param?: string;
  /** Matches only batches (true) or only single calls (false). */
  readonly batch?: boolean;
  /** Number of requests to answer with the fault; `ever` is all of them. @default 1 */
  readonly times?: number | "ever";
  readonly status?: number;
  /**
   * Response headers. In a value, `{later}` is an HTTP date an hour from now, `{earlier}` one an hour ago, and `{soon}` one
   * between one and two seconds from now.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Template of the body: `{all}` is the correct body, `{0}` the correct response to the first call, `{result0}` its result and
   * `{id0}` its id; `{1}` … are those of the second call.
   */
  readonly body?: string;
  /**
   * Template of all bytes of the response, after which the connection closes. Takes the placeholders of `body`, and
   * `{length}` for the number of bytes of the correct body.
   */
  readonly raw?: string;
  /** Delay before the first byte, in milliseconds. */
  readonly delayMs?: number;
  readonly connection?: ConnectionFault;
}

/**
 * Ending of a call: `right`, or an error as `kind` or `kind number`, where the number is the error's code or else its
 * HTTP status. `or` joins endings that are equally acceptable: `http 429 or timeout`. A test may also find `wrong: `
 * with a result, `never` for a call that did not end, or `invalid output` of a command.
 */
export type Ending = string;

/**
 * `must`: a client that fails here returns wrong rows, takes an error for a result, refuses a correct response, runs a
 * statement twice, sends its key to another path, sends no request, writes invalid output, or never ends.
 * `should`: it reports an error that it could have recovered from or another error than the one that happened, repeats a
 * read too often or too early, leaves resources open, or does not send a method of `mustSend`.
 */
export type CaseLevel = "must" | "should";

export interface AdversaryCase {
  readonly name: string;
  /** Level of the case. @default derived from its endings, see `levelOf` */
  readonly level?: CaseLevel;
  /** Calls made together, so that they may share a request. */
  readonly calls?: readonly CaseCall[];
  /** Calls made one after another. */
  readonly sequence?: readonly CaseCall[];
  /** Statement to run to its rows, with `pageSize` rows a page. */
  readonly query?: { readonly sql: string; readonly pageSize?: number };
  readonly faults: readonly Fault[];
  /** Expected endings: one for each call, one for a query. */
  readonly endings: readonly Ending[];
  /** Deadline of each call, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** Aborts the calls as soon as the first fault begins. @default false */
  readonly abort?: boolean;
  /** `basic`: three methods, no batch, no optional member. `absent`: no server listens. */
  readonly service?: "basic" | "absent";
  /** Methods that the client must send, even after the call has ended. */
  readonly mustSend?: readonly string[];
  /** Shortest time between the first two requests, in milliseconds. @default 0 */
  readonly minWaitMs?: number;
  /** Largest number of times that a method may be sent. */
  readonly maxSends?: Readonly<Record<string, number>>;
}

/** Returns the level of a case: by default `should` if the client can recover from its faults, otherwise `must`. */
export function levelOf({ level, faults, endings }: AdversaryCase): CaseLevel {
  const canSucceed = endings.every((end) => alternativesOf(end).includes("right"));
  return level ?? (canSucceed && faults.length > 0 ? "should" : "must");
}

/** Returns the endings that `or` joins. */
export function alternativesOf(ending: Ending): readonly Ending[] {
  return ending.split(" or ");
}
