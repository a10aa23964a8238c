import type { Reply } from "@quern/json-rpc/handler";
import type { MockClock } from "../time/clock.ts";
import { durationMs } from "../time/duration.ts";
import type { Call } from "../wire/call.ts";
import type { Exchange, Middleware, Next } from "../wire/exchange.ts";
import { isReplyTo, jsonValue, type ReplyObject, replyBody, textOf, withBody, withHead } from "../wire/reply.ts";
import { transmitted } from "./connection.ts";
import type { Fault } from "./fault.ts";
import { defectiveReplies } from "./reply-defect.ts";
import type { FaultSchedule } from "./schedule.ts";

/** Part of a namespace's state that faults use. */
export interface FaultState {
  readonly clock: MockClock;
  readonly faults: FaultSchedule;
  /** Aborted on reset or end of the namespace; no delay lasts longer. */
  readonly endSignal: AbortSignal;
}

/** Member of a request, and the faults that apply to its call. */
interface PlannedMember {
  readonly member: unknown;
  readonly call: Call | undefined;
  readonly faults: readonly Fault[];
}

const noContent = [204, 205, 304];

/** Applies the planned faults to the replies of `next`. */
export const faultMiddleware: Middleware<FaultState> = (exchange, next) => {
  const { namespace } = exchange;
  return namespace === undefined || namespace.faults.isExhausted ? next() : withFaults(namespace, exchange, next);
};

async function withFaults(
  { clock, faults: schedule, endSignal }: FaultState,
  { isBatch, members, calls, signal = new AbortController().signal }: Exchange<FaultState>,
  next: Next,
): Promise<Reply> {
  const planned = members.map((member, at): PlannedMember => {
    const call = calls[at];
    return { member, call, faults: call === undefined ? [] : schedule.next(call.method) };
  });
  // The same fault may apply to several calls of a batch; it affects their shared response once.
  const faults = [...new Set(planned.flatMap((one) => one.faults))];
  if (faults.length === 0) return next();
  const delayMs = Math.max(0, ...faults.map(({ delay = 0 }) => durationMs(delay)));
  if (delayMs > 0) await clock.until(clock.now() + delayMs, AbortSignal.any([signal, endSignal]));
  const reply = faults.some(({ performed }) => performed === false)
    ? emptyReply(planned)
    : await perform(planned, next);
  return faults.reduce(
    async (previous, fault) =>
      transmitted(withHttpFault(await previous, fault, clock), fault.connection ?? "normal", signal),
    Promise.resolve(withReplyFaults(reply, planned, isBatch)),
  );
}

/** Returns the reply to calls that are not performed; notifications get no body. */
function emptyReply(planned: readonly PlannedMember[]): Reply {
  return planned.every(({ call }) => call !== undefined && call.id === undefined)
    ? { status: 204, headers: {}, body: null }
    : { status: 200, headers: { "content-type": "application/json" }, body: [] };
}

/** Performs the calls whose result no planned error replaces. */
function perform(planned: readonly PlannedMember[], next: Next): Promise<Reply> | Reply {
  const performed = planned.filter(({ faults }) => faults.every(({ error }) => error === undefined));
  if (performed.length === planned.length) return next();
  return performed.length === 0 ? emptyReply(planned) : next(performed.map(({ member }) => member));
}

/** Applies to each reply the faults of its call. */
function withReplyFaults(reply: Reply, planned: readonly PlannedMember[], isBatch: boolean): Reply {
  if (reply.body === null || !planned.some(({ faults }) => faults.some(affectsReply))) return reply;
  const remaining = [...replyBody(reply).objects];
  const sent: ReplyObject[] = [];
  for (const { call, faults } of planned) {
    if (call?.id === undefined) continue;
    const error = faults.find((fault) => fault.error !== undefined)?.error;
    const own =
      error === undefined ? takeReply(remaining, call) : { jsonrpc: "2.0", id: call.id, error: jsonValue(error) };
    if (own === undefined) continue;
    sent.push(
      ...faults.reduce<readonly ReplyObject[]>(
        (replies, fault) => replies.flatMap((one) => defectiveReplies(one, fault)),
        [own],
      ),
    );
  }
  // Replies to no call, such as errors with a null id, stay.
  sent.push(...remaining);
  return withBody(reply, { isBatch: isBatch || sent.length > 1, objects: sent });
}

function affectsReply({ replyDefect, error, result, override }: Fault): boolean {
  return [replyDefect, error, result, override].some((part) => part !== undefined);
}

/** Removes the reply to a call from the remaining ones, and returns it. */
function takeReply(remaining: ReplyObject[], call: Call): ReplyObject | undefined {
  const at = remaining.findIndex((reply) => isReplyTo(call, reply));
  return at < 0 ? undefined : remaining.splice(at, 1)[0];
}

/** Replaces status, headers and body of a response. */
function withHttpFault(reply: Reply, fault: Fault, clock: MockClock): Reply {
  const { status = reply.status } = fault;
  const headers = { ...reply.headers, ...withDates(fault.headers ?? {}, clock.now()) };
  if (noContent.includes(status)) return { status, headers, body: null };
  if (fault.body === undefined) return withHead(reply, { status, headers });
  const body = fault.body.includes("{all}") ? fault.body.replaceAll("{all}", () => textOf(reply)) : fault.body;
  return { status, headers, body: [body] };
}

/** Replaces the date placeholders. HTTP dates have whole seconds, so `{soon}` is 1 to 2 seconds away. */
function withDates(headers: Readonly<Record<string, string>>, now: number): Record<string, string> {
  const date = (ms: number) => new Date(now + ms).toUTCString();
  const dates = { "{later}": date(3_600_000), "{earlier}": date(-3_600_000), "{soon}": date(2_000) };
  const filled = (value: string) =>
    Object.entries(dates).reduce((text, [placeholder, time]) => text.replaceAll(placeholder, time), value);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
}
