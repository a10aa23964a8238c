import { createAnswerEquality } from "./answer-equality.ts";
import type { Contract } from "./document.ts";
import type { Exchange } from "./exchange.ts";
import { isObject, type JsonObject, shortJson, valueAt } from "./json.ts";
import { repliesIn } from "./response-body.ts";
import { runsIn } from "./schema-walk.ts";

/** Checks that a run does not change after it has ended, and that its times are in order. */
export interface RunObserver {
  /** Returns the contradictions within an answer, and with the answers that had arrived before its request was sent. */
  observe(exchange: Exchange): readonly string[];
}

/** Run as an answer reported it. */
interface Seen {
  readonly run: JsonObject;
  /** Arrival of the answer in milliseconds of `performance.now()`. */
  readonly at: number;
}

/** Member that may change at any time: the time at which the record was last written. */
const volatile = "updatedAt";

export function createRunObserver(contract: Contract): RunObserver {
  const agree = createAnswerEquality(contract);
  const polls = [...contract.methods.values()].flatMap(({ poll }) => poll ?? []);
  const final = new Set(polls.flatMap((poll) => poll.final));
  const states = new Set(polls.map(({ state }) => state.slice(state.lastIndexOf("/") + 1)));
  const seen = new Map<string, Seen>();

  function problemsOf(run: JsonObject, sentAt: number): readonly string[] {
    const id = String(run.id);
    const before = seen.get(id);
    // If two requests overlap, the order of their answers is unknown.
    if (before !== undefined && before.at > sentAt) return timeProblems(id, run);
    // Later answers are compared with the first one in which the run has ended.
    if (before === undefined || !final.has(before.run.state)) seen.set(id, { run, at: performance.now() });
    if (before === undefined) return timeProblems(id, run);
    // A run that has not ended may start again: a service does so when it loses the process of a query.
    return [...timeProblems(id, run), ...(final.has(before.run.state) ? changesOf(id, before.run, run) : [])];
  }

  function changesOf(id: string, before: JsonObject, run: JsonObject): readonly string[] {
    // The state comes first in the report, because it explains the other changes.
    const entries = Object.entries(before).toSorted(([a], [b]) => Number(states.has(b)) - Number(states.has(a)));
    return entries.flatMap(([name, value]) => {
      const isLost = value !== null && run[name] === null;
      const isUnchanged = name === volatile || (!isLost && agree({ [name]: value }, { [name]: run[name] }));
      return isUnchanged ? [] : [changed(id, name, value, run[name])];
    });
  }

  /** Returns the problem of an error whose data give an ended run a state that is not final. */
  function refusalProblems(params: unknown, error: unknown, sentAt: number): readonly string[] {
    return polls.flatMap(({ id, state }) => {
      const name = state.slice(state.lastIndexOf("/") + 1);
      const reported = valueAt(error, `/data/${name}`);
      const run = String(valueAt(params, `/0/${id}`));
      const before = seen.get(run);
      const isReversal = before !== undefined && before.at <= sentAt && final.has(before.run[name]);
      return isReversal && typeof reported === "string" && !final.has(reported)
        ? [changed(run, name, before.run[name], reported)]
        : [];
    });
  }

  return {
    observe({ sent, sentAt, answer }) {
      const requests = new Map(sent.map((member) => [member.idText, member]));
      const found = repliesIn(answer).flatMap(({ idText, value }) => {
        const member = requests.get(idText);
        if (idText === undefined || member === undefined) return [];
        if (isObject(value.error)) return refusalProblems(member.params, value.error, sentAt);
        const runs = runsIn(contract, contract.methods.get(member.method ?? "")?.result, value.result);
        return runs.flatMap((run) => problemsOf(run, sentAt));
      });
      return [...new Set(found)];
    },
  };
}

function changed(id: string, name: string, before: unknown, now: unknown): string {
  return `the run "${id}" changed after its end: ${name} was ${shortJson(before)} and is ${shortJson(now)}`;
}

/** Times of a run in the order in which it reaches them; a run skips some. */
const orderOfTimes = ["createdAt", "startedAt", "queryRunningEndedAt", "queryStreamingEndedAt", "endedAt"];

/** Returns a problem for each time of a run that is before its creation, or before the time that it reached last. */
function timeProblems(id: string, run: JsonObject): readonly string[] {
  const at = (name: string) => (typeof run[name] === "string" ? Date.parse(run[name]) : Number.NaN);
  const createdAt = String(run.createdAt ?? "");
  const early = Object.keys(run).filter((name) => name.endsWith("At") && at(name) < at("createdAt"));
  if (early.length > 0)
    return early.map(
      (name) => `the run "${id}" has times before its creation at ${createdAt}: ${name} is ${run[name]}`,
    );
  const reached = orderOfTimes.filter((name) => typeof run[name] === "string");
  return reached.flatMap((name, index) => {
    const last = reached[index - 1] ?? name;
    return at(name) < at(last) ? [`the run "${id}" has ${name} ${run[name]} before ${last} ${run[last]}`] : [];
  });
}
