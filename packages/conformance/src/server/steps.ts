import { setTimeout as sleep } from "node:timers/promises";
import { relabel, SlowAnswer, StepFailure } from "./check.ts";
import type { Case, Expectation, Step } from "./corpus.ts";
import type { Contract } from "./document.ts";
import type { Exchange, Sender } from "./exchange.ts";
import { expectationProblems } from "./expectation.ts";
import { checkAnswer } from "./invariants.ts";
import { areEqual, isObject, valueAt } from "./json.ts";
import type { Variables } from "./placeholders.ts";
import { type ParsedAnswer, repliesIn } from "./response-body.ts";

const defaultEveryMs = 50;
const defaultTimeoutMs = 20_000;
/** Code of the error of a rate limit. */
const tooManyRequests = -32029;

function alternatives(expect: Step["expect"]): readonly Expectation[] {
  // Array.isArray does not narrow readonly arrays.
  return Array.isArray(expect) ? expect : [expect as Expectation];
}

/** Returns the alternatives without those that expect an error if the answer is a result, and the reverse; all if none is left. */
function ofTheSameKind(expected: readonly Expectation[], read: ParsedAnswer | undefined): readonly Expectation[] {
  const otherKind = read?.replies[0]?.value.error === undefined ? "error" : "result";
  const same = expected.filter(({ reply }) => reply?.[otherKind] === undefined);
  return same.length === 0 ? expected : same;
}

interface CheckedAnswer {
  readonly read: ParsedAnswer | undefined;
  /** The matching expectation ends the case. */
  readonly isEnd: boolean;
}

/** Checks one exchange. Each problem of an answer begins with its HTTP status. @throws StepFailure if there is a problem */
function checkExchange(exchange: Exchange, step: Step, contract: Contract, variables: Variables): CheckedAnswer {
  const { answer, sent, contradictions } = exchange;
  const { read, isReadable, problems } =
    answer === undefined ? { read: undefined, isReadable: true, problems: [] } : checkAnswer(answer, sent, contract);
  const differences = (one: Expectation) => expectationProblems(answer, read, one, contract, variables);
  const expected = alternatives(step.expect);
  const met = expected.find((one) => differences(one).length === 0);
  const unmet = isReadable && met === undefined ? ofTheSameKind(expected, read).flatMap(differences) : [];
  const all = [...new Set([...contradictions, ...problems, ...unmet])];
  if (all.length > 0)
    throw new StepFailure(answer === undefined ? all : all.map((one) => `HTTP ${answer.status}: ${one}`));
  return { read, isEnd: met?.ends === true };
}

/** Returns the values that a step captures for later ones. @throws StepFailure if a value is missing */
function captured({ capture = {} }: Step, read: ParsedAnswer | undefined): Variables {
  const entries = Object.entries(capture).map(([name, pointer]) => [name, valueAt(read?.value, pointer)] as const);
  const missing = entries.flatMap(([name, value]) => (value === undefined ? [`${capture[name]} is missing`] : []));
  if (missing.length > 0) throw new StepFailure(missing);
  return Object.fromEntries(entries);
}

/** Returns the wait in milliseconds that a refusal for too many requests demands; undefined for other answers. */
function demandedWaitMs({ answer }: Exchange): number | undefined {
  const error = repliesIn(answer)[0]?.value.error;
  if (!isObject(error) || error.code !== tooManyRequests || !isObject(error.data)) return undefined;
  const { retryAfterMs } = error.data;
  return typeof retryAfterMs === "number" && retryAfterMs >= 0 ? retryAfterMs : undefined;
}

/**
 * Sends the request of a step and checks its answer. A server may refuse a request for its rate limit, which other callers
 * use, too: the request is then sent again after the demanded wait, if that ends in time.
 */
async function exchanged(
  step: Step,
  sender: Sender,
  contract: Contract,
  variables: Variables,
  giveUpAt: number,
): Promise<CheckedAnswer> {
  for (;;) {
    const exchange = await sender.send(step.send, variables);
    try {
      return checkExchange(exchange, step, contract, variables);
    } catch (error) {
      const waitMs = demandedWaitMs(exchange);
      if (waitMs === undefined || performance.now() + waitMs > giveUpAt) throw error;
      await sleep(waitMs);
    }
  }
}

/**
 * Runs one step and returns the captured values; undefined if its answer ends the case.
 * @throws StepFailure if the answer is wrong; rethrows errors of the connection
 */
async function runStep(
  step: Step,
  sender: Sender,
  contract: Contract,
  variables: Variables,
): Promise<Variables | undefined> {
  const { send, until } = step;
  const giveUpAt = performance.now() + (until?.timeoutMs ?? defaultTimeoutMs);
  if (send.copies !== undefined) {
    const all = Array.from({ length: send.copies }, (_, index) => ({ ...variables, index }));
    await Promise.all(all.map((own) => exchanged(step, sender, contract, own, giveUpAt)));
    return {};
  }
  for (;;) {
    const { read, isEnd } = await exchanged(step, sender, contract, variables, giveUpAt);
    if (isEnd) return undefined;
    const value = until === undefined ? undefined : valueAt(read?.value, until.pointer);
    if (until === undefined || until.isOneOf.some((wanted) => areEqual(wanted, value))) {
      return captured(step, read);
    }
    if (performance.now() > giveUpAt) {
      const waitedMs = until.timeoutMs ?? defaultTimeoutMs;
      throw new SlowAnswer([`${until.pointer} is still ${JSON.stringify(value)} after ${waitedMs} ms`]);
    }
    await sleep(until.everyMs ?? defaultEveryMs);
  }
}

/** Names a step by its number, and by its method if it is a single call. */
function stepLabel({ send: { json } }: Step, index: number): string {
  const method = isObject(json) && typeof json.method === "string" ? ` (${json.method})` : "";
  return `step ${index + 1}${method}`;
}

/** Runs steps one after another. Returns the variables together with the captured values. @throws StepFailure */
export async function runSteps(
  steps: readonly Step[],
  sender: Sender,
  contract: Contract,
  start: Variables,
): Promise<Variables> {
  let variables = start;
  for (const [index, step] of steps.entries()) {
    try {
      const values = await runStep(step, sender, contract, variables);
      if (values === undefined) break;
      variables = { ...variables, ...values };
    } catch (error) {
      throw relabel(error, (problem) => (steps.length === 1 ? problem : `${stepLabel(step, index)}: ${problem}`));
    }
  }
  return variables;
}

/** Returns the variables of each repetition of a case. */
export function roundsOf({ each }: Case, contract: Contract): readonly Variables[] {
  const methods = [...contract.methods.values()];
  if (each === "method") return methods.map(({ name }) => ({ method: name }));
  if (each === undefined) return [{}];
  return methods.flatMap(({ name, examples }) =>
    examples.map((example) => ({ method: name, example: example.name, params: example.params })),
  );
}

/** Call of an unknown method, which every server can answer with an error, also after hostile input. */
export const livenessStep: Step = {
  send: { json: { jsonrpc: "2.0", method: "conformance.alive", params: [], id: "alive" } },
  expect: { reply: { id: "alive", error: -32601 } },
};
