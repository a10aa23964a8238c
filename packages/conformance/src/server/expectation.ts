import type { Expectation, Items, ReplyExpectation } from "./corpus.ts";
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
    problems.push(`id: expected ${shortJson(fill(expected.id, variables))}, got ${shortJson(value.id)}`);
  if (expected.idText !== undefined && idText !== fillText(expected.idText, variables))
    problems.push(`id: expected ${fillText(expected.idText, variables)}, got ${idText}`);
  if (expected.result !== undefined && value.result === undefined)
    return [...problems, `expected a result, got ${shortJson(value.error)}`];
  if (expected.result === "document" && !areEqual(value.result, contract.document))
    problems.push("result: expected the OpenRPC document, got another value");
  if (expected.error !== undefined && !list(expected.error).some((code) => code === error))
    return [
      ...problems,
      `expected the error ${list(expected.error).join(" or ")}, got ${shortJson(value.error ?? value)}`,
    ];
  if (expected.notError?.some((code) => code === error)) problems.push(`error not allowed: ${shortJson(value.error)}`);
  for (const [pointer, wanted] of Object.entries(expected.values ?? {})) {
    const found = valueAt(value, pointer);
    if (!areEqual(found, fill(wanted, variables)))
      problems.push(`${pointer}: expected ${shortJson(fill(wanted, variables))}, got ${shortJson(found)}`);
  }
  for (const [pointer, unwanted] of Object.entries(expected.notValues ?? {})) {
    const found = valueAt(value, pointer);
    if (areEqual(found, fill(unwanted, variables))) problems.push(`${pointer}: value not allowed: ${shortJson(found)}`);
  }
  for (const [pointer, items] of Object.entries(expected.items ?? {}))
    problems.push(...itemProblems(pointer, valueAt(value, pointer), items, variables));
  return problems;
}

/** Returns the differences between an array and the required one: its length, and the first wrong item. */
function itemProblems(
  pointer: string,
  found: unknown,
  { count, item, from = 0 }: Items,
  variables: Variables,
): readonly string[] {
  if (!Array.isArray(found)) return [`${pointer}: expected an array of ${count} items, got ${shortJson(found)}`];
  const problems = found.length === count ? [] : [`${pointer}: expected ${count} items, got ${found.length}`];
  if (item === undefined) return problems;
  const wanted = (at: number) => fill(item, { ...variables, index: from + at });
  const at = found.findIndex((one, index) => index < count && !areEqual(one, wanted(index)));
  if (at >= 0)
    problems.push(`${pointer}: expected ${shortJson(wanted(at))} at index ${at}, got ${shortJson(found[at])}`);
  return problems;
}

/** Finds a response for each expected one. Expectations with an id choose first, because they match fewer responses. */
function repliesProblem(
  read: ParsedAnswer,
  expected: readonly ReplyExpectation[],
  contract: Contract,
  variables: Variables,
): string | undefined {
  if (!read.isBatch) return notAnArray(read.value);
  if (read.replies.length !== expected.length)
    return `expected ${expected.length} responses, got ${read.replies.length}: ${shortJson(read.value)}`;
  const left = [...read.replies];
  const rank = (reply: ReplyExpectation): number => ("id" in reply || reply.idText !== undefined ? 0 : 1);
  for (const reply of expected.toSorted((a, b) => rank(a) - rank(b))) {
    const at = left.findIndex((candidate) => replyProblems(candidate, reply, contract, variables).length === 0);
    if (at < 0) return `no response matches ${shortJson(reply)}: ${shortJson(read.value)}`;
    left.splice(at, 1);
  }
  return undefined;
}

/** Returns the problem of a batch that is answered with one object. */
export function notAnArray(value: unknown): string {
  return `expected an array, got ${shortJson(value)}`;
}

/** Returns the problem of notifications that are answered. */
export function notAnEmptyBody(value: unknown): string {
  return `expected an empty body, got ${shortJson(value)}`;
}

function countProblem(read: ParsedAnswer, count: number): string | undefined {
  if (!read.isBatch) return notAnArray(read.value);
  const ids = new Set(read.replies.map(({ idText }) => idText));
  return read.replies.length === count && ids.size === count
    ? undefined
    : `expected ${count} responses with different ids, got ${shortJson(read.value)}`;
}

/** Returns the differences between an answer and an expectation. */
export function expectationProblems(
  answer: Answer | undefined,
  read: ParsedAnswer | undefined,
  expected: Expectation,
  contract: Contract,
  variables: Variables,
): readonly string[] {
  if (expected.body === "none") return [];
  if (answer === undefined) return ["no response"];
  const { status = 200 } = expected;
  const problems: string[] = [];
  if (!list(status).includes(answer.status)) problems.push(`expected HTTP ${list(status).join(" or ")}`);
  for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
    const value = answer.headers[name.toLowerCase()] ?? "";
    if (!new RegExp(pattern, "i").test(String(value)))
      problems.push(`header ${name}: expected a match of ${pattern}, got ${shortJson(value)}`);
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
  if (expected.body === "empty") return read === undefined ? [] : [notAnEmptyBody(read.value)];
  if (read === undefined) return ["expected a body, got an empty one"];
  if (expected.replies !== undefined) return some(repliesProblem(read, expected.replies, contract, variables));
  if (expected.count !== undefined) return some(countProblem(read, expected.count));
  if (expected.reply === undefined) return [];
  const [reply] = read.replies;
  if (read.isBatch || reply === undefined) return [`expected one response object, got ${shortJson(read.value)}`];
  return replyProblems(reply, expected.reply, contract, variables);
}
