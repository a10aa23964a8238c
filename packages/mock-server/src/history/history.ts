import type { ServedMethod } from "@quern/json-rpc/envelope";
import type { Piece, Reply } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import { advice, memberCheck } from "../member-check.ts";
import { normalizedStatement } from "../statement/sql-text.ts";
import { type Call, callText } from "../wire/call.ts";
import { parsedCalls } from "../wire/exchange.ts";
import { type FaultError, isReplyTo, type ReplyObject, replyBody } from "../wire/reply.ts";

/** One call that came in, and what went out. */
export interface RecordedCall {
  readonly method: string;
  readonly params: unknown;
  /** When it came, in milliseconds since 1970 by the mock's clock. */
  readonly at: number;
  /** Neither result nor error where nothing was answered: to a notification, or for a fault. */
  readonly result?: unknown;
  readonly error?: FaultError;
}

type MethodName = keyof typeof contract;
type ParamsOf<Method extends MethodName> = NonNullable<(typeof contract)[Method]["descriptor"]["~types"]>["params"];

/** Params that a call has among others; a pattern stands for any text that it matches. SQL is compared as stubs do. */
export type ParamsMatch<Method extends MethodName> = {
  readonly [Name in keyof ParamsOf<Method>]?: ParamsOf<Method>[Name] | RegExp;
};

/** Calls of a namespace: the last 10,000 requests, or fewer if those have more than 50 MB. */
export interface History {
  /** The oldest first. */
  readonly calls: readonly RecordedCall[];
  /** Returns the calls of a method that have these params, and maybe others. @throws TypeError for an unknown method or param. */
  callsOf<Method extends MethodName>(method: Method, params?: ParamsMatch<Method>): readonly RecordedCall[];
  /** @throws Error unless the method was called with these params, `times` times if that is said; it shows the calls that were made. */
  expectCalled<Method extends MethodName>(
    method: Method,
    params?: ParamsMatch<Method>,
    options?: { readonly times?: number },
  ): void;
  /** Unexpected calls: statements without a stub where the mock is strict, unknown methods, invalid params, bodies that are no calls. */
  unexpected(): readonly string[];
  /** Which calls were answered by an `unsafe` of a stub, and so beside the contract. */
  unsafe(): readonly string[];
  /** Forgets the calls, and what was unexpected or unsafe of them. */
  clear(): void;
}

export interface KeptHistory extends History {
  /** Keeps a request that has come, and what is answered to it once that is called. @param calls Calls of the body, from a caller that has parsed it */
  record(at: number, body: Piece, calls?: readonly (Call | undefined)[]): (reply: Reply) => void;
  /** Keeps that something came that nobody expects. */
  miss(text: string): void;
  /** Keeps that something was told beside the truth. */
  tell(text: string): void;
}

/** A request as it came and went; its calls are paired with their replies when they are asked for, since most are not. */
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

export function createHistory(maxBytes = defaultMaxBytes): KeptHistory {
  /** By number: to take the first out of a long array moves all others. */
  const entries = new Map<number, Entry>();
  let [oldest, next] = [0, 0];
  let misses: string[] = [];
  let untruths: string[] = [];
  let bytes = 0;
  const allCalls = () => [...entries.values()].flatMap(callsIn);

  function callsOf(method: string, params: object = {}): readonly RecordedCall[] {
    if (!Object.hasOwn(contract, method))
      throw new TypeError(`there is no method ${JSON.stringify(method)}; ${advice(method, Object.keys(contract))}`);
    checkNames(method, params);
    return allCalls().filter((call) => call.method === method && isLike(call.params ?? {}, params));
  }

  function grow(size: number): void {
    bytes += size;
    // At least the last one stays, however large it is.
    for (; entries.size > maxEntries || (bytes > maxBytes && entries.size > 1); oldest += 1) {
      bytes -= entries.get(oldest)?.bytes ?? 0;
      entries.delete(oldest);
    }
  }

  /** The first of many say enough. */
  function note(notes: string[], text: string): void {
    if (notes.length < maxEntries) notes.push(text);
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
    unexpected: () => [...misses],
    unsafe: () => [...untruths],
    clear() {
      entries.clear();
      [misses, untruths, bytes] = [[], [], 0];
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
    miss: (text) => note(misses, text),
    tell: (text) => note(untruths, text),
  };
}

/** @throws TypeError for a param that the method does not have. Values may be patterns, so that only names can be wrong. */
function checkNames(method: string, params: object): void {
  const { issues = [] } =
    new Map(Object.entries<ServedMethod>(contract)).get(method)?.params["~standard"].validate(params) ?? {};
  const unknown = issues.find(({ path, expected }) => path.length === 1 && expected === "no such member");
  if (unknown !== undefined) throw new TypeError(`${method}: unknown param ${unknown.path.join()}`);
}

function callsIn(entry: Entry): readonly RecordedCall[] {
  // What is not answered yet may be answered later.
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
  // What a fault has sent may be anything.
  if (error !== undefined) return { error: error as FaultError };
  return result === undefined ? {} : { result };
}

/** Tells if a value has all that is wanted of it: objects these members among others, arrays the same items, texts what a pattern matches. */
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
