import { contract } from "@quern/protocol/contract";
import { advice, memberCheck } from "../member-check.ts";
import { durationMs } from "../time/duration.ts";
import type { Fault, Misreply, Travel } from "./fault.ts";

/** Which calls a fault meets: those of a method of the contract, or `*` for all. */
export type FaultyMethod = keyof typeof contract | "rpc.discover" | "*";

export interface FaultOptions extends Fault {
  /** Number of the call, counted from when the fault is planned; 1 is the next one. @default 1 */
  readonly on?: number;
  /** Number of calls from there on. @default 1 */
  readonly times?: number | "ever";
}

/** A fault that is planned, and what has become of it. */
export interface PlannedFault {
  readonly method: FaultyMethod;
  readonly fault: Fault;
  /** Number of calls that it has met. */
  readonly played: number;
}

export interface Faults {
  /** @throws RangeError for what cannot be sent. */
  plan(method: FaultyMethod, options: FaultOptions): PlannedFault;
  /** Faults that have met no call, as text for the author of a test. */
  unmet(): readonly string[];
  /** True if no fault can meet a call any more. */
  readonly isOver: boolean;
  /** Counts a call, and gives the faults that meet it. */
  meet(method: string): readonly Fault[];
  /** Forgets all that are planned. */
  clear(): void;
}

/** Words of a type as the choices of a schema; TypeScript refuses a list that lacks one. */
const choices = <Word extends string>(words: Readonly<Record<Word, true>>) => ({ enum: Object.keys(words) });

const travels = choices<Travel>({
  whole: true,
  bytes: true,
  cut: true,
  reset: true,
  stall: true,
  trickle: true,
  "no answer, closed": true,
  "no answer, reset": true,
  silence: true,
});

const misreplies = choices<Misreply>({
  "the id of another call": true,
  "the id as text": true,
  "the id null": true,
  "no id": true,
  "no version": true,
  "JSON-RPC 1.0 with error null": true,
  "both result and error": true,
  "neither result nor error": true,
  "members beyond the standard": true,
  "a member missing": true,
  "a reply twice": true,
});

const checkFault = memberCheck<FaultOptions>("fault", {
  // A count that is none is a RangeError of its own.
  on: {},
  times: {},
  status: { type: "number" },
  headers: { type: "object", additionalProperties: { type: "string" } },
  body: { type: "string" },
  travel: travels,
  delay: { type: ["number", "string"] },
  performed: { type: "boolean" },
  reply: misreplies,
  error: {
    type: "object",
    properties: { code: { type: "integer" }, message: { type: "string" }, data: {} },
    additionalProperties: false,
    required: ["code", "message"],
  },
  result: {},
  change: { type: "object" },
});

/** @throws RangeError unless the method is one of the contract, `rpc.discover` or `*`. */
function checkMethod(method: FaultyMethod): void {
  if (method === "*" || method === "rpc.discover" || Object.hasOwn(contract, method)) return;
  const names = [...Object.keys(contract), "*"];
  throw new RangeError(`there is no method ${JSON.stringify(method)}; ${advice(String(method), names)}`);
}

export function createFaults(): Faults {
  let planned: { readonly entry: PlannedFault; meet(method: string): Fault | undefined; isOver(): boolean }[] = [];

  function plan(method: FaultyMethod, options: FaultOptions): PlannedFault {
    checkFault(options);
    const { on = 1, times = 1, ...fault } = options;
    checkMethod(method);
    for (const [name, count] of Object.entries({ on, times }))
      if (count !== "ever" && !(Number.isInteger(count) && count > 0))
        throw new RangeError(`\`${name}\` is a whole number from 1, not ${count}`);
    check(fault);
    const end = times === "ever" ? Number.POSITIVE_INFINITY : on + times;
    let calls = 0;
    let played = 0;
    const entry: PlannedFault = {
      method,
      fault,
      get played() {
        return played;
      },
    };
    planned.push({
      entry,
      isOver: () => calls + 1 >= end,
      meet(called) {
        if (method !== "*" && method !== called) return undefined;
        calls += 1;
        if (calls < on || calls >= end) return undefined;
        played += 1;
        return fault;
      },
    });
    return entry;
  }

  return {
    plan,
    unmet: () =>
      planned
        .filter(({ entry }) => entry.played === 0)
        .map(({ entry }) => `the fault ${JSON.stringify(entry.fault)} of ${entry.method} met no call`),
    get isOver() {
      return planned.every(({ isOver }) => isOver());
    },
    meet: (method) => planned.flatMap(({ meet }) => meet(method) ?? []),
    clear() {
      planned = [];
    },
  };
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A door that is handed what HTTP cannot say would fail by itself, and not as planned. */
function check({ status = 200, headers = {}, delay = 0 }: Fault): void {
  durationMs(delay);
  if (!(Number.isInteger(status) && status >= 200 && status < 600))
    throw new RangeError(`a status is a whole number from 200 to 599, not ${status}`);
  for (const [name, value] of Object.entries(headers))
    if (!headerName.test(name) || !headerValue.test(value))
      throw new RangeError(`${JSON.stringify({ [name]: value })} is no HTTP header`);
}
