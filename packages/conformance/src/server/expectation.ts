import type { Expectation, ReplyExpectation } from "./corpus.ts";
import type { Contract } from "./document.ts";
import type { Answer } from "./exchange.ts";
import type { ReadAnswer, Reply } from "./invariants.ts";
import { areEqual, shown, valueAt } from "./json.ts";
import { fill, fillText, type Variables } from "./placeholders.ts";

function list<T>(value: T | readonly T[]): readonly T[] {
  // Array.isArray does not narrow readonly arrays.
  return Array.isArray(value) ? value : [value as T];
}

function replyProblem(
  reply: Reply,
  expected: ReplyExpectation,
  contract: Contract,
  variables: Variables,
): string | undefined {
  const { value, idText } = reply;
  const error = valueAt(value, "/error/code");
  if ("id" in expected && !areEqual(value.id, fill(expected.id, variables)))
    return `the id is ${shown(value.id)}, not ${shown(expected.id)}`;
  if (expected.idText !== undefined && idText !== fillText(expected.idText, variables))
    return `the id is ${idText}, not ${expected.idText}`;
  if (expected.result !== undefined && value.result === undefined)
    return `a result was expected, not ${shown(value.error)}`;
  if (expected.result === "document" && !areEqual(value.result, contract.document))
    return "the result is not the OpenRPC document";
  if (expected.error !== undefined && !list(expected.error).some((code) => code === error)) {
    return `the error ${list(expected.error).join(" or ")} was expected, not ${shown(value.error ?? value)}`;
  }
  if (expected.notError?.some((code) => code === error)) return `the error must not be ${shown(value.error)}`;
  for (const [pointer, wanted] of Object.entries(expected.values ?? {})) {
    const found = valueAt(value, pointer);
    if (!areEqual(found, fill(wanted, variables)))
      return `${pointer} is ${shown(found)}, not ${shown(fill(wanted, variables))}`;
  }
  for (const [pointer, unwanted] of Object.entries(expected.notValues ?? {})) {
    const found = valueAt(value, pointer);
    if (areEqual(found, fill(unwanted, variables))) return `${pointer} must not be ${shown(found)}`;
  }
  return undefined;
}

/** Finds an answer for each expected reply; those that name an id choose first. */
function repliesProblem(
  read: ReadAnswer,
  expected: readonly ReplyExpectation[],
  contract: Contract,
  variables: Variables,
): string | undefined {
  if (!read.isBatch) return `an array was expected, not ${shown(read.value)}`;
  if (read.replies.length !== expected.length)
    return `${expected.length} replies were expected, not ${read.replies.length}: ${shown(read.value)}`;
  const left = [...read.replies];
  const particular = (reply: ReplyExpectation): number => ("id" in reply || reply.idText !== undefined ? 0 : 1);
  for (const reply of expected.toSorted((a, b) => particular(a) - particular(b))) {
    const at = left.findIndex((candidate) => replyProblem(candidate, reply, contract, variables) === undefined);
    if (at < 0) return `no reply fits ${shown(reply)} in ${shown(read.value)}`;
    left.splice(at, 1);
  }
  return undefined;
}

function countProblem(read: ReadAnswer, count: number): string | undefined {
  const ids = new Set(read.replies.map(({ idText }) => idText));
  return read.isBatch && read.replies.length === count && ids.size === count
    ? undefined
    : `${count} replies with ids of their own were expected, not ${shown(read.value)}`;
}

/** Why an answer is not the expected one, undefined where it is. */
export function expectationProblem(
  answer: Answer | undefined,
  read: ReadAnswer | undefined,
  expected: Expectation,
  contract: Contract,
  variables: Variables,
): string | undefined {
  if (expected.body === "none") return undefined;
  if (answer === undefined) return "there is no answer";
  const { status = 200 } = expected;
  if (!list(status).includes(answer.status))
    return `HTTP ${list(status).join(" or ")} was expected, not ${answer.status}: ${shown(read?.value)}`;
  for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
    const value = answer.headers[name.toLowerCase()] ?? "";
    if (!new RegExp(pattern, "i").test(String(value)))
      return `the header ${name} is ${shown(value)}, which does not match ${pattern}`;
  }
  if (expected.body === "empty")
    return read === undefined ? undefined : `an empty body was expected, not ${shown(read.value)}`;
  if (read === undefined) return "the body is empty";
  if (expected.replies !== undefined) return repliesProblem(read, expected.replies, contract, variables);
  if (expected.count !== undefined) return countProblem(read, expected.count);
  if (expected.reply === undefined) return undefined;
  const [reply] = read.replies;
  if (read.isBatch || reply === undefined) return `one response object was expected, not ${shown(read.value)}`;
  return replyProblem(reply, expected.reply, contract, variables);
}
