import type { Reply } from "@quern/json-rpc/handler";
import type { MockClock } from "../time/clock.ts";
import { durationMs } from "../time/duration.ts";
import type { Call } from "../wire/call.ts";
import type { Exchange, Middleware, Next } from "../wire/exchange.ts";
import { isReplyTo, jsonValue, type ReplyObject, replyBody, textOf, withBody, withHead } from "../wire/reply.ts";
import type { Fault } from "./fault.ts";
import { misreply } from "./misreply.ts";
import type { Faults } from "./schedule.ts";
import { traveling } from "./travel.ts";

/** Planned faults of a namespace, and its time. */
export interface FaultState {
  readonly clock: MockClock;
  readonly faults: Faults;
  /** Aborted when no delay is waited for any longer. */
  readonly over: AbortSignal;
}

/** A member of a request and what is planned for it. */
interface Met {
  readonly member: unknown;
  readonly call: Call | undefined;
  readonly faults: readonly Fault[];
}

const noContent = [204, 205, 304];

/** Answers as `next` does, except for the faults that are planned. */
export const faultMiddleware: Middleware<FaultState> = (exchange, next) => {
  const { namespace } = exchange;
  return namespace === undefined || namespace.faults.isOver ? next() : faulty(namespace, exchange, next);
};

async function faulty(
  { clock, faults: planned, over }: FaultState,
  { isBatch, members, calls, signal = new AbortController().signal }: Exchange<FaultState>,
  next: Next,
): Promise<Reply> {
  const all = members.map((member, at): Met => {
    const call = calls[at];
    return { member, call, faults: call === undefined ? [] : planned.meet(call.method) };
  });
  // The calls of a batch may meet one and the same fault.
  const faults = [...new Set(all.flatMap((met) => met.faults))];
  if (faults.length === 0) return next();
  const delayMs = Math.max(0, ...faults.map(({ delay = 0 }) => durationMs(delay)));
  if (delayMs > 0) await clock.until(clock.now() + delayMs, AbortSignal.any([signal, over]));
  const reply = faults.some(({ performed }) => performed === false) ? emptyFor(all) : await performed(all, next);
  return faults.reduce(
    async (right, fault) => traveling(rewritten(await right, fault, clock), fault.travel ?? "whole", signal),
    Promise.resolve(misreplied(reply, all, isBatch)),
  );
}

/** The reply to calls that are not performed: nothing at all to notifications. */
function emptyFor(all: readonly Met[]): Reply {
  return all.every(({ call }) => call !== undefined && call.id === undefined)
    ? { status: 204, headers: {}, body: null }
    : { status: 200, headers: { "content-type": "application/json" }, body: [] };
}

/** Has those calls performed that no error stands in for. */
function performed(all: readonly Met[], next: Next): Promise<Reply> | Reply {
  const kept = all.filter(({ faults }) => faults.every(({ error }) => error === undefined)).map(({ member }) => member);
  if (kept.length === all.length) return next();
  return kept.length === 0 ? emptyFor(all) : next(kept);
}

/** The reply with those to the calls that meet a fault as it says. */
function misreplied(reply: Reply, all: readonly Met[], isBatch: boolean): Reply {
  if (reply.body === null || !all.some(({ faults }) => faults.some(isOfReply))) return reply;
  const left = [...replyBody(reply).objects];
  const sent: ReplyObject[] = [];
  for (const { call, faults } of all) {
    if (call?.id === undefined) continue;
    const error = faults.find((fault) => fault.error !== undefined)?.error;
    const right = error === undefined ? taken(left, call) : { jsonrpc: "2.0", id: call.id, error: jsonValue(error) };
    if (right === undefined) continue;
    sent.push(
      ...faults.reduce<readonly ReplyObject[]>(
        (replies, fault) => replies.flatMap((one) => misreply(one, fault)),
        [right],
      ),
    );
  }
  sent.push(...left);
  return withBody(reply, { isBatch: isBatch || sent.length > 1, objects: sent });
}

function isOfReply({ reply, error, result, change }: Fault): boolean {
  return [reply, error, result, change].some((part) => part !== undefined);
}

/** Takes the reply to a call out of those that are left. */
function taken(left: ReplyObject[], call: Call): ReplyObject | undefined {
  const at = left.findIndex((reply) => isReplyTo(call, reply));
  return at < 0 ? undefined : left.splice(at, 1)[0];
}

/** The reply with status, headers and body as a fault says. */
function rewritten(reply: Reply, fault: Fault, clock: MockClock): Reply {
  const { status = reply.status } = fault;
  const headers = { ...reply.headers, ...withDates(fault.headers ?? {}, clock.now()) };
  if (noContent.includes(status)) return { status, headers, body: null };
  if (fault.body === undefined) return withHead(reply, { status, headers });
  const body = fault.body.includes("{all}") ? fault.body.replaceAll("{all}", () => textOf(reply)) : fault.body;
  return { status, headers, body: [body] };
}

/** Dates have whole seconds only: `{soon}` is between one and two seconds away. */
function withDates(headers: Readonly<Record<string, string>>, now: number): Record<string, string> {
  const date = (ms: number) => new Date(now + ms).toUTCString();
  const words = { "{later}": date(3_600_000), "{earlier}": date(-3_600_000), "{soon}": date(2_000) };
  const filled = (value: string) =>
    Object.entries(words).reduce((text, [word, time]) => text.replaceAll(word, time), value);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
}
