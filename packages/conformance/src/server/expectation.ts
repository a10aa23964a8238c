import type { Expectation, ReplyExpectation } from "./corpus.ts";
import type { Contract } from "./document.ts";
import type { Answer } from "./exchange.ts";
import { areEqual, shortJson, valueAt } from "./json.ts";
import { fill, fillText, type Variables } from "./placeholders.ts";
import type { ParsedAnswer, Reply } from "./response-body.ts";

function list<T>(value: T | readonly T[]): readonly T[] {
  // Array.isArray does not narrow readonly arrays.
  return Array.isArray(value) ? value : [value as T];
}

function replyProblems(
  reply: Reply,
  expected: ReplyExpectation,
  contract: Contract,
  variables: Variables,
): readonly string[] {
  const { value, idText } = reply;
  const error = valueAt(value, "/error/code");
  const problems: string[] = [];
  if ("id" in expected && !areEqual(value.id, fill(expected.id, variables)))
    problems.push(`the id is ${shortJson(value.id)}, not ${shortJson(fill(expected.id, variables))}`);
  if (expected.idText !== undefined && idText !== fillText(expected.idText, variables))
    problems.push(`the id is ${idText}, not ${fillText(expected.idText, variables)}`);
  if (expected.result !== undefined && value.result === undefined)
    return [...problems, `a result was expected, not ${shortJson(value.error)}`];
  if (expected.result === "document" && !areEqual(value.result, contract.document))
    problems.push("the result is not the OpenRPC document");
  if (expected.error !== undefined && !list(expected.error).some((code) => code === error))
    return [
      ...problems,
      `the error ${list(expected.error).join(" or ")} was expected, not ${shortJson(value.error ?? value)}`,
    ];
  if (expected.notError?.some((code) => code === error))
    problems.push(`the error must not be ${shortJson(value.error)}`);
  for (const [pointer, wanted] of Object.entries(expected.values ?? {})) {
    const found = valueAt(value, pointer);
    if (!areEqual(found, fill(wanted, variables)))
      problems.push(`${pointer} is ${shortJson(found)}, not ${shortJson(fill(wanted, variables))}`);
  }
  for (const [pointer, unwanted] of Object.entries(expected.notValues ?? {})) {
    const found = valueAt(value, pointer);
    if (areEqual(found, fill(unwanted, variables))) problems.push(`${pointer} must not be ${shortJson(found)}`);
  }
  return problems;
}

/** Finds an answer for each expected reply; those that name an id choose first. */
function repliesProblem(
  read: ParsedAnswer,
  expected: readonly ReplyExpectation[],
  contract: Contract,
  variables: Variables,
): string | undefined {
  if (!read.isBatch) return noArray(read.value);
  if (read.replies.length !== expected.length)
    return `${expected.length} replies were expected, not ${read.replies.length}: ${shortJson(read.value)}`;
  const left = [...read.replies];
  const particular = (reply: ReplyExpectation): number => ("id" in reply || reply.idText !== undefined ? 0 : 1);
  for (const reply of expected.toSorted((a, b) => particular(a) - particular(b))) {
    const at = left.findIndex((candidate) => replyProblems(candidate, reply, contract, variables).length === 0);
    if (at < 0) return `no reply fits ${shortJson(reply)} in ${shortJson(read.value)}`;
    left.splice(at, 1);
  }
  return undefined;
}

/** Problem of a batch that is answered with one object. */
export function noArray(value: unknown): string {
  return `an array was expected, not ${shortJson(value)}`;
}

/** Problem of notifications that are answered. */
export function noEmptyBody(value: unknown): string {
  return `an empty body was expected, not ${shortJson(value)}`;
}

function countProblem(read: ParsedAnswer, count: number): string | undefined {
  if (!read.isBatch) return noArray(read.value);
  const ids = new Set(read.replies.map(({ idText }) => idText));
  return read.replies.length === count && ids.size === count
    ? undefined
    : `${count} replies with ids of their own were expected, not ${shortJson(read.value)}`;
}

/** Differences between an answer and the expected one, none where it is the expected one. */
export function expectationProblems(
  answer: Answer | undefined,
  read: ParsedAnswer | undefined,
  expected: Expectation,
  contract: Contract,
  variables: Variables,
): readonly string[] {
  if (expected.body === "none") return [];
  if (answer === undefined) return ["there is no answer"];
  const { status = 200 } = expected;
  const problems: string[] = [];
  if (!list(status).includes(answer.status)) problems.push(`the status must be ${list(status).join(" or ")}`);
  for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
    const value = answer.headers[name.toLowerCase()] ?? "";
    if (!new RegExp(pattern, "i").test(String(value)))
      problems.push(`the header ${name} is ${shortJson(value)}, which does not match ${pattern}`);
  }
  return [...problems, ...bodyProblems(read, expected, contract, variables)];
}

function bodyProblems(
  read: ParsedAnswer | undefined,
  expected: Expectation,
  contract: Contract,
  variables: Variables,
): readonly string[] {
  const some = (problem: string | undefined) => (problem === undefined ? [] : [problem]);
  if (expected.body === "empty") return read === undefined ? [] : [noEmptyBody(read.value)];
  if (read === undefined) return ["the body is empty"];
  if (expected.replies !== undefined) return some(repliesProblem(read, expected.replies, contract, variables));
  if (expected.count !== undefined) return some(countProblem(read, expected.count));
  if (expected.reply === undefined) return [];
  const [reply] = read.replies;
  if (read.isBatch || reply === undefined) return [`one response object was expected, not ${shortJson(read.value)}`];
  return replyProblems(reply, expected.reply, contract, variables);
}
