/** Calls that a client makes on a bad network: data only, so that a table of cases can be kept as JSON. */

/** One method call. */
export interface CaseCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Transmission of an answer. */
export type ConnectionFault =
  /** In one piece. */
  | "normal"
  /** In chunks of one byte each. */
  | "byte-by-byte"
  /** The connection closes after half of the body. */
  | "close-mid-body"
  /** The connection is reset after half of the body. */
  | "reset-mid-body"
  /** Nothing follows half of the body, and the connection stays. */
  | "stall-mid-body"
  /** Nothing follows half of the head, and the connection stays. */
  | "stall-mid-headers"
  /** Blanks follow the head for ever. */
  | "trickle"
  /** The connection closes without an answer. */
  | "close"
  /** The connection is reset without an answer. */
  | "reset"
  /** Nothing comes, and the connection stays. */
  | "hang"
  /** In one piece; the connection closes though it was to be kept. */
  | "close-after-body";

/** Fault in HTTP exchanges of one kind. Members that are not given are as a good server has them. */
export interface Fault {
  /** Only exchanges that carry this method. */
  readonly on?: string;
  /** Only batches (true) or single calls (false). */
  readonly batch?: boolean;
  /** In how many exchanges, one by default. */
  readonly times?: number | "ever";
  readonly status?: number;
  /** `{later}` in a value is an HTTP date an hour from now, `{earlier}` one an hour ago, `{soon}` the next but one second. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `{all}` is the right body, `{0}` the right reply to the first call, `{result0}` its result and `{id0}` its id; `{1}` … those of the second. */
  readonly body?: string;
  /** All bytes of the answer in place of the rest, then the connection closes. Takes the same words, and `{length}` of the right body. */
  readonly raw?: string;
  /** Before the first byte. */
  readonly delayMs?: number;
  readonly connection?: ConnectionFault;
}

/**
 * Ending of a call: `right`, or an error as `kind` or `kind number`, where the number is the error's code or else its HTTP
 * status. `or` joins endings that are as good: `http 429 or timeout`.
 */
export type Ending = string;

/**
 * `must`: a client that fails here gives wrong rows, takes an error for a result, runs a statement twice or never ends.
 * `should`: it reports an error that it could have recovered from, or another error than the one that happened.
 */
export type CaseLevel = "must" | "should";

export interface AdversaryCase {
  readonly name: string;
  /** Level of the case where it does not follow from its endings, see `levelOf`. */
  readonly level?: CaseLevel;
  /** Calls made together, so that they may share a request. */
  readonly calls?: readonly CaseCall[];
  /** Calls made one after another. */
  readonly sequence?: readonly CaseCall[];
  /** A statement that is run to its rows, `pageSize` of them a page. */
  readonly query?: { readonly sql: string; readonly pageSize?: number };
  readonly faults: readonly Fault[];
  /** One for each call, one for a query. */
  readonly endings: readonly Ending[];
  /** The time that the client is given for each of them. */
  readonly timeoutMs?: number;
  /** The caller gives up as soon as the first fault is played. */
  readonly abort?: boolean;
  /** `strict`: three methods, no batch, no member beyond the interface. */
  readonly service?: "basic" | "absent";
  /** Methods that the client sends, be it after the ask has ended. */
  readonly mustSend?: readonly string[];
  /** Shortest time that the client must wait before it sends again. */
  readonly minWaitMs?: number;
  /** Largest number of times that a method may be sent. */
  readonly maxSends?: Readonly<Record<string, number>>;
}

/** Level of a case: `must` where the client has to report an error or nothing goes wrong, `should` where it can recover. */
export function levelOf({ level, faults, endings }: AdversaryCase): CaseLevel {
  const canSucceed = endings.every((end) => alternativesOf(end).includes("right"));
  return level ?? (canSucceed && faults.length > 0 ? "should" : "must");
}

/** The endings that `or` joins. */
export function alternativesOf(ending: Ending): readonly Ending[] {
  return ending.split(" or ");
}
