import { contract } from "@quern/protocol/contract";
import { advice, memberCheck } from "../member-check.ts";
import { durationMs } from "../time/duration.ts";
import type { ConnectionFault, Fault, ReplyDefect } from "./fault.ts";

/** Expected value in the error for a fault that has none of the members of `Fault`. */
export const faultMember = "a member that makes a fault, such as status, connection or error";

/** Method to whose calls a fault applies; `*` stands for all methods. */
export type FaultyMethod = keyof typeof contract | "rpc.discover" | "*";

export interface FaultOptions extends Fault {
  /** Number of the first call to which the fault applies, counted from when it is planned. @default 1, the next call */
  readonly on?: number;
  /** Number of calls to which the fault applies, from that one on; `ever` is all of them. @default 1 */
  readonly times?: number | "ever";
}

/** Fault that a test has planned. */
export interface PlannedFault {
  readonly method: FaultyMethod;
  readonly fault: Fault;
  /** Number of calls to which the fault has been applied. */
  readonly timesUsed: number;
}

/** Member of a planned fault with a check of its own. */
export type CheckedMember = "method" | "on" | "times" | "delay" | "status" | "headers";

/** Calls the check of one member, or of the fault as a whole (null). */
type ApplyCheck = (member: CheckedMember | null, check: () => void) => void;

/** Planned faults of a namespace. */
export interface FaultSchedule {
  /**
   * Plans a fault.
   * @param apply The administration API reports the member whose check throws. @default calls the check
   * @throws TypeError or RangeError for an unknown method, a member that is unknown or not valid, and a fault without any
   * member.
   */
  plan(method: FaultyMethod, options: FaultOptions, apply?: ApplyCheck): PlannedFault;
  /** Faults that have been applied to no call, as text for the author of a test. */
  unused(): readonly string[];
  /** True if no planned fault can apply to a later call. */
  readonly isExhausted: boolean;
  /** Returns true if a fault that names the method can still apply. Ignores faults for all methods. */
  isPlanned(method: FaultyMethod): boolean;
  /** Counts a call of a method, and returns the faults that apply to it. */
  next(method: string): readonly Fault[];
  /** Forgets all planned faults. */
  clear(): void;
}

/** Returns the members of a string type as a schema; TypeScript reports a missing one. */
const choices = <Word extends string>(words: Readonly<Record<Word, true>>) => ({ enum: Object.keys(words) });

const connectionFaults = choices<ConnectionFault>({
  normal: true,
  "byte-by-byte": true,
  "close-mid-body": true,
  "reset-mid-body": true,
  "stall-mid-body": true,
  trickle: true,
  close: true,
  reset: true,
  hang: true,
});

const replyDefects = choices<ReplyDefect>({
  "other-id": true,
  "string-id": true,
  "null-id": true,
  "missing-id": true,
  "missing-version": true,
  "json-rpc-1.0": true,
  "result-and-error": true,
  "no-result-or-error": true,
  "extra-members": true,
  "missing-reply": true,
  "duplicate-reply": true,
});

const checkMembers = memberCheck<FaultOptions>("fault", {
  // `plan` checks counts itself, because an invalid count is a RangeError.
  on: {},
  times: {},
  status: { type: "number" },
  headers: { type: "object", additionalProperties: { type: "string" } },
  body: { type: "string" },
  connection: connectionFaults,
  delay: { type: ["number", "string"] },
  performed: { type: "boolean" },
  replyDefect: replyDefects,
  error: {
    type: "object",
    properties: { code: { type: "integer" }, message: { type: "string" }, data: {} },
    additionalProperties: false,
    required: ["code", "message"],
  },
  result: {},
  override: { type: "object" },
});

function checkMethod(method: FaultyMethod): void {
  if (method === "*" || method === "rpc.discover" || Object.hasOwn(contract, method)) return;
  const names = [...Object.keys(contract), "*"];
  throw new RangeError(`fault: unknown method ${JSON.stringify(method)}; ${advice(String(method), names)}`);
}

function checkCount(name: "on" | "times", count: number | "ever"): void {
  if ((name === "times" && count === "ever") || (Number.isInteger(count) && Number(count) > 0)) return;
  throw new RangeError(`fault: invalid ${name}: expected a whole number from 1, got ${count}`);
}

export function createFaultSchedule(): FaultSchedule {
  let schedule: { readonly planned: PlannedFault; next(called: string): Fault | undefined; isExhausted(): boolean }[] =
    [];

  function plan(method: FaultyMethod, options: FaultOptions, apply: ApplyCheck = (_, check) => check()): PlannedFault {
    checkMembers(options);
    const { on = 1, times = 1, ...fault } = options;
    const { status = 200, headers = {}, delay = 0 } = fault;
    apply("method", () => checkMethod(method));
    apply("on", () => checkCount("on", on));
    apply("times", () => checkCount("times", times));
    apply("delay", () => void durationMs(delay));
    apply("status", () => checkStatus(status));
    apply("headers", () => checkHeaders(headers));
    apply(null, () => checkFault(fault));
    const end = times === "ever" ? Number.POSITIVE_INFINITY : on + times;
    let calls = 0;
    let timesUsed = 0;
    const planned: PlannedFault = {
      method,
      fault,
      get timesUsed() {
        return timesUsed;
      },
    };
    schedule.push({
      planned,
      isExhausted: () => calls + 1 >= end,
      next(called) {
        if (method !== "*" && method !== called) return undefined;
        calls += 1;
        if (calls < on || calls >= end) return undefined;
        timesUsed += 1;
        return fault;
      },
    });
    return planned;
  }

  return {
    plan,
    unused: () =>
      schedule
        .filter(({ planned }) => planned.timesUsed === 0)
        .map(
          ({ planned: { method, fault } }) => `the fault ${JSON.stringify(fault)} of ${method} was applied to no call`,
        ),
    get isExhausted() {
      return schedule.every(({ isExhausted }) => isExhausted());
    },
    isPlanned: (method) => schedule.some(({ planned, isExhausted }) => planned.method === method && !isExhausted()),
    next: (method) => schedule.flatMap((one) => one.next(method) ?? []),
    clear() {
      schedule = [];
    },
  };
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

function checkFault(fault: Fault): void {
  if (Object.values(fault).every((value) => value === undefined))
    throw new TypeError(`fault: expected ${faultMember}; got none`);
}

/** Checks the status. With an invalid one, the mock would fail instead of sending the fault. */
function checkStatus(status: number): void {
  if (!(Number.isInteger(status) && status >= 200 && status < 600))
    throw new RangeError(`fault: invalid status: expected a whole number from 200 to 599, got ${status}`);
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers))
    if (!headerName.test(name) || !headerValue.test(value))
      throw new RangeError(
        `fault: invalid HTTP header: ${JSON.stringify({ [name]: value })}; use characters that HTTP allows`,
      );
}
