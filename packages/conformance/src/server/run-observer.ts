import { createAnswerEquality } from "./answer-equality.ts";
import type { Contract } from "./document.ts";
import type { Exchange } from "./exchange.ts";
import { isObject, type JsonObject, shortJson, valueAt } from "./json.ts";
import { repliesIn } from "./response-body.ts";
import { runsIn } from "./schema-walk.ts";

/** Watches runs in all answers: what has ended stays as it is. */
export interface RunObserver {
  /** Returns contradictions between an answer and those that had arrived before its request was sent. */
  observe(exchange: Exchange): readonly string[];
}

/** A run as an answer had it, and when that answer had arrived. */
interface Seen {
  readonly run: JsonObject;
  readonly at: number;
}

/** Says when the record was last written, which may be at any time. */
const volatile = "updatedAt";

export function createRunObserver(contract: Contract): RunObserver {
  const agree = createAnswerEquality(contract);
  const polls = [...contract.methods.values()].flatMap(({ poll }) => poll ?? []);
  const final = new Set(polls.flatMap((poll) => poll.final));
  const states = new Set(polls.map(({ state }) => state.slice(state.lastIndexOf("/") + 1)));
  const last = new Map<string, Seen>();

  function problemsOf(run: JsonObject, sentAt: number): readonly string[] {
    const id = String(run.id);
    const before = last.get(id);
    // Of two answers that overlap, either may be the older one.
    if (before !== undefined && before.at > sentAt) return earlier(id, run);
    // A run that has ended is compared with its first end.
    if (before === undefined || !final.has(before.run.state)) last.set(id, { run, at: performance.now() });
    if (before === undefined) return earlier(id, run);
    // A run that has not ended may begin again, as a service does that has lost the process of its query.
    return [...earlier(id, run), ...(final.has(before.run.state) ? changesOf(id, before.run, run) : [])];
  }

  function changesOf(id: string, before: JsonObject, run: JsonObject): readonly string[] {
    // The state explains the changes of other members.
    const entries = Object.entries(before).toSorted(([a], [b]) => Number(states.has(b)) - Number(states.has(a)));
    return entries.flatMap(([name, value]) => {
      const isLost = value !== null && run[name] === null;
      const isUnchanged = name === volatile || (!isLost && agree({ [name]: value }, { [name]: run[name] }));
      return isUnchanged ? [] : [changed(id, name, value, run[name])];
    });
  }

  /** Finds an error whose data give an ended run a state that is not final. */
  function refusalProblems(params: unknown, error: unknown, sentAt: number): readonly string[] {
    return polls.flatMap(({ id, state }) => {
      const name = state.slice(state.lastIndexOf("/") + 1);
      const told = valueAt(error, `/data/${name}`);
      const run = String(valueAt(params, `/0/${id}`));
      const before = last.get(run);
      const isBack = before !== undefined && before.at <= sentAt && final.has(before.run[name]);
      return isBack && typeof told === "string" && !final.has(told) ? [changed(run, name, before.run[name], told)] : [];
    });
  }

  return {
    observe({ sent, sentAt, answer }) {
      const asked = new Map(sent.map((member) => [member.idText, member]));
      const found = repliesIn(answer).flatMap(({ idText, value }) => {
        const member = asked.get(idText);
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
  return `the run "${id}" has ended, and its ${name} was ${shortJson(before)} and is ${shortJson(now)}`;
}

/** Nothing becomes of a run before it was created. */
function earlier(id: string, run: JsonObject): readonly string[] {
  const createdAt = String(run.createdAt ?? "");
  return Object.entries(run).flatMap(([name, value]) =>
    name.endsWith("At") && typeof value === "string" && Date.parse(value) < Date.parse(createdAt)
      ? [`the run "${id}" was created at ${createdAt}, and its ${name} is ${value}`]
      : [],
  );
}
