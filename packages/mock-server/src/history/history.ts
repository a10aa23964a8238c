import type { ServedMethod } from "@quern/json-rpc/envelope";
import type { Piece, Reply } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import { advice, memberCheck } from "../member-check.ts";
import { normalizedStatement } from "../statement/sql-text.ts";
import { type Call, callText } from "../wire/call.ts";
import { parsedCalls } from "../wire/exchange.ts";
import { type FaultError, isReplyTo, type ReplyObject, replyBody } from "../wire/reply.ts";

/** Received call, and its answer. */
export interface RecordedCall {
  readonly method: string;
  readonly params: unknown;
  /** Time of arrival on the mock's clock, in milliseconds since 1970. */
  readonly at: number;
  /**
   * Result of the call. Result and error are undefined without an answer: for a notification, while the call is in
   * flight, or because of a fault.
   */
  readonly result?: unknown;
  readonly error?: FaultError;
}

type MethodName = keyof typeof contract;
type ParamsOf<Method extends MethodName> = NonNullable<(typeof contract)[Method]["descriptor"]["~types"]>["params"];

/**
 * Params that a call must have; it may have more. A RegExp matches text; SQL is compared without white space, comments
 * and trailing semicolons, and without letter case outside of quotes.
 */
export type ParamsMatch<Method extends MethodName> = {
  readonly [Name in keyof ParamsOf<Method>]?: ParamsOf<Method>[Name] | RegExp;
};

/** Calls of a namespace: those of the last 10,000 requests, or of fewer if the requests and replies exceed 50 MB. */
export interface History {
  /** All calls, the oldest first. */
  readonly calls: readonly RecordedCall[];
  /** Returns the calls of a method with these params. @throws TypeError for an unknown method or param. */
  callsOf<Method extends MethodName>(method: Method, params?: ParamsMatch<Method>): readonly RecordedCall[];
  /**
   * Asserts that a method was called with these params.
   * @param options.times Exact number of calls. @default at least 1
   * @throws Error with the calls that were made, if the number differs. TypeError for an unknown method, param or
   * option.
   */
  expectCalled<Method extends MethodName>(
    method: Method,
    params?: ParamsMatch<Method>,
    options?: { readonly times?: number },
  ): void;
  /**
   * Unexpected calls, as text: unknown methods, invalid params and invalid requests; in a strict mock also statements
   * that it fails for lack of a stub or an answer; with the option `replay` also calls that the recording lacks.
   */
  unexpected(): readonly string[];
  /** Calls whose results a stub changed by `violateContract`, as text. */
  contractViolations(): readonly string[];
  /** Forgets the calls, the unexpected ones, and the contract violations. */
  clear(): void;
}

/** History with the functions by which the mock writes it. */
export interface HistoryRecorder extends History {
  /**
   * Records a request, and returns the function that records its reply.
   * @param calls Parsed calls of the body. @default the body is parsed
   */
  record(at: number, body: Piece, calls?: readonly (Call | undefined)[]): (reply: Reply) => void;
  /** Records an unexpected call. */
  recordUnexpected(text: string): void;
  /** Records an answer that a stub changed by `violateContract`. */
  recordViolation(text: string): void;
}

/** Request and its reply. Calls and replies are paired on demand, because most tests read few of them. */
interface Entry {
  readonly at: number;
  readonly calls: readonly (Call | undefined)[];
  bytes: number;
  reply?: Reply;
  recorded?: readonly RecordedCall[];
}

const maxEntries = 10_000;
const defaultMaxBytes = 50_000_000;

const checkExpectation = memberCheck<{ readonly times?: number }>("expectCalled", { times: { type: "integer" } });

export function createHistory(maxBytes = defaultMaxBytes): HistoryRecorder {
  /** Entries by number; removing the oldest from an array would move all others. */
  const entries = new Map<number, Entry>();
  let [oldest, next] = [0, 0];
  let unexpected: string[] = [];
  let violations: string[] = [];
  let bytes = 0;
  const allCalls = () => [...entries.values()].flatMap(callsIn);

  function callsOf(method: string, params: object = {}): readonly RecordedCall[] {
    if (!Object.hasOwn(contract, method))
      throw new TypeError(
        `history: unknown method ${JSON.stringify(method)}; ${advice(method, Object.keys(contract))}`,
      );
    checkNames(method, params);
    return allCalls().filter((call) => call.method === method && isLike(call.params ?? {}, params));
  }

  function grow(size: number): void {
    bytes += size;
    // The newest entry stays, even if it alone exceeds the limit.
    for (; entries.size > maxEntries || (bytes > maxBytes && entries.size > 1); oldest += 1) {
      bytes -= entries.get(oldest)?.bytes ?? 0;
      entries.delete(oldest);
    }
  }

  /** Adds a text; the first 10,000 are kept. */
  function add(texts: string[], text: string): void {
    if (texts.length < maxEntries) texts.push(text);
  }

  return {
    get calls() {
      return allCalls();
    },
    callsOf,
    expectCalled(method, params, options = {}) {
      checkExpectation(options);
      const { times } = options;
      const { length } = callsOf(method, params);
      if (times === undefined ? length > 0 : length === times) return;
      const wanted = `${times ?? "at least 1"} of ${callText(method, params ?? {})}`;
      const made = allCalls().map((call) => `\n  ${callText(call.method, call.params)}`);
      throw new Error(
        `wrong number of calls: expected ${wanted}, got ${length}; the calls were${made.join("") || " none"}`,
      );
    },
    unexpected: () => [...unexpected],
    contractViolations: () => [...violations],
    clear() {
      entries.clear();
      [unexpected, violations, bytes] = [[], [], 0];
    },
    record(at, body, calls = parsedCalls(body)) {
      const entry: Entry = { at, calls, bytes: body.length };
      const number = next++;
      entries.set(number, entry);
      grow(body.length);
      return (reply) => {
        const size = (reply.body ?? []).reduce((sum, piece) => sum + piece.length, 0);
        entry.reply = reply;
        entry.bytes += size;
        if (entries.has(number)) grow(size);
      };
    },
    recordUnexpected: (text) => add(unexpected, text),
    recordViolation: (text) => add(violations, text),
  };
}

/** Checks the names of params, not the values, which may be patterns. @throws TypeError for a param that the method does not have. */
function checkNames(method: string, params: object): void {
  const { issues = [] } =
    new Map(Object.entries<ServedMethod>(contract)).get(method)?.params["~standard"].validate(params) ?? {};
  const unknown = issues.find(({ path, expected }) => path.length === 1 && expected === "no such member");
  if (unknown !== undefined) throw new TypeError(`${method}: unknown param ${unknown.path.join()}`);
}

function callsIn(entry: Entry): readonly RecordedCall[] {
  // The reply may still come, so the calls are not cached yet.
  if (entry.reply === undefined) return recordedCalls(entry);
  entry.recorded ??= recordedCalls(entry);
  return entry.recorded;
}

function recordedCalls({ at, calls, reply }: Entry): readonly RecordedCall[] {
  const replies = reply === undefined ? [] : [...replyBody(reply).objects];
  return calls.flatMap((call) => {
    if (call === undefined) return [];
    const { method, params } = call;
    const found = replies.findIndex((one) => isReplyTo(call, one));
    const [answer] = found < 0 ? [] : replies.splice(found, 1);
    return { method, params, at, ...answered(answer) };
  });
}

function answered({ result, error }: ReplyObject = {}): Pick<RecordedCall, "result" | "error"> {
  // A fault may have sent anything in place of an error.
  if (error !== undefined) return { error: error as FaultError };
  return result === undefined ? {} : { result };
}

/**
 * Returns true if a value matches: an object has at least the expected members, an array as many items, all of which
 * match. A RegExp matches a string; members named `sql` are compared as statements.
 */
export function isLike(value: unknown, wanted: unknown, name?: string): boolean {
  if (wanted instanceof RegExp) return typeof value === "string" && value.search(wanted) >= 0;
  if (name === "sql" && typeof value === "string" && typeof wanted === "string")
    return normalizedStatement(value) === normalizedStatement(wanted);
  if (typeof wanted !== "object" || wanted === null) return Object.is(value, wanted);
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && Object.keys(value).length !== wanted.length) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.entries(wanted).every(([key, member]) => member === undefined || isLike(members.get(key), member, key));
}
