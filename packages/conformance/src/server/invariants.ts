import type { Contract } from "./document.ts";
import type { Answer } from "./exchange.ts";
import { isObject, shortJson } from "./json.ts";
import type { SentMember } from "./request-body.ts";
import { type ParsedAnswer, parseAnswer, type Reply } from "./response-body.ts";

const standardCodes: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603]);

function errorProblems(error: unknown, sent: readonly SentMember[], contract: Contract): readonly string[] {
  if (!isObject(error)) return [`error: expected an object, got ${shortJson(error)}`];
  const { code, message, data, ...others } = error;
  const problems: string[] = [];
  if (typeof message !== "string") problems.push(`error.message: expected a string, got ${shortJson(message)}`);
  if (Object.keys(others).length > 0) problems.push(`error: unexpected members ${shortJson(others)}`);
  if (typeof code !== "number" || !Number.isInteger(code))
    return [...problems, `error.code: expected an integer, got ${shortJson(code)}`];
  if (code === -32603) problems.push(`internal error: ${shortJson(error)}`);
  const methods = sent.flatMap(({ method }) => contract.methods.get(method ?? "") ?? []);
  // If the response belongs to no known method, such as an error with id null, the codes of all methods are allowed.
  const methodsToCheck = methods.length > 0 ? methods : [...contract.methods.values()];
  const candidates = methodsToCheck.flatMap(({ errors }) => errors.get(code) ?? []);
  const isReserved = code >= -32768 && code < -32099;
  if (isReserved && !standardCodes.has(code) && candidates.length === 0)
    problems.push(`error.code ${code} is reserved and not declared by the method`);
  const faults = methods.length === 0 ? [] : faultsOfBest(candidates.map(({ dataProblems }) => dataProblems(data)));
  return [...problems, ...faults.map((fault) => `error.data of ${code} does not match the OpenRPC document: ${fault}`)];
}

function replyProblems(reply: Reply, members: readonly SentMember[], contract: Contract): readonly string[] {
  const { jsonrpc, id, result, error, ...others } = reply.value;
  const problems: string[] = [];
  if (jsonrpc !== "2.0") problems.push(`jsonrpc: expected "2.0", got ${shortJson(jsonrpc)}`);
  if (Object.keys(others).length > 0) problems.push(`response object: unexpected members ${shortJson(others)}`);
  if ((result === undefined) === (error === undefined))
    problems.push("response object: expected exactly one of result and error");
  const requests = members.filter(({ idText }) => idText !== undefined && idText === reply.idText);
  const isUnreadable = id === null && error !== undefined;
  if (requests.length === 0 && !isUnreadable) problems.push(`id ${reply.idText ?? shortJson(id)} was not sent`);
  if (error !== undefined) return [...problems, ...errorProblems(error, requests, contract)];
  const candidates = requests.flatMap(({ method }) => contract.methods.get(method ?? "") ?? []);
  const faults = faultsOfBest(candidates.map((method) => method.resultProblems(result)));
  return [...problems, ...faults.map((fault) => `result does not match the OpenRPC document: ${fault}`)];
}

/** Returns the shortest list of faults: if several requests or methods share an id or code, the answer is validated against the schema that fits best. */
function faultsOfBest(faultLists: readonly (readonly string[])[]): readonly string[] {
  return faultLists.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function countBy(texts: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Parsed answer with the invariants that it breaks. */
export interface CheckedAnswer {
  /** Undefined if the body is empty or is not JSON. */
  readonly read: ParsedAnswer | undefined;
  /** False if the body is not JSON. */
  readonly isReadable: boolean;
  readonly problems: readonly string[];
}

/** Checks an answer against the invariants, which hold for every answer, independently of the case. */
export function checkAnswer(answer: Answer, sent: readonly SentMember[], contract: Contract): CheckedAnswer {
  const { headers, body } = answer;
  if (body.length === 0)
    return { read: undefined, isReadable: true, problems: invariantProblems(answer, undefined, sent, contract) };
  const contentType = headers["content-type"] ?? "none";
  const problems = /^application\/json\s*(;|$)/i.test(contentType)
    ? []
    : [`content type: expected application/json, got ${contentType}`];
  try {
    const read = parseAnswer(answer);
    return { read, isReadable: true, problems: [...problems, ...invariantProblems(answer, read, sent, contract)] };
  } catch {
    const unread = invariantProblems(answer, undefined, sent, contract);
    const text = `body is not JSON: ${shortJson(body.toString("utf8", 0, 100))}`;
    return { read: undefined, isReadable: false, problems: [...problems, ...unread, text] };
  }
}

function invariantProblems(
  answer: Answer,
  read: ParsedAnswer | undefined,
  members: readonly SentMember[],
  contract: Contract,
): readonly string[] {
  const { status, headers } = answer;
  const problems: string[] = [];
  if (status >= 500 && !(status === 503 && headers["retry-after"] !== undefined))
    problems.push("server error; only HTTP 503 with Retry-After is allowed");
  if (read === undefined) return problems;
  for (const reply of read.replies) problems.push(...replyProblems(reply, members, contract));
  const requested = countBy(members.map(({ idText }) => idText));
  for (const [idText, times] of countBy(read.replies.map((reply) => reply.idText))) {
    const allowed = requested.get(idText) ?? times; // An id that was not sent is reported above.
    if (idText !== "null" && times > allowed) problems.push(`id ${idText} is answered ${times} times`);
  }
  const answerable = members.filter(({ isNotification }) => !isNotification).length;
  if (status === 200 && members.length > 0 && read.replies.length > answerable && (read.isBatch || answerable === 0)) {
    problems.push(`expected ${answerable} responses, got ${read.replies.length}`);
  }
  return problems;
}
