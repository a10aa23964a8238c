import type { Piece } from "./bytes.ts";
import { ExactNumber, parseExactly, parseWithSource } from "./exact-number.ts";
import { issueAt, issuesError, limitExceeded } from "./issue.ts";
import { isObject as isJsonObject, type JsonObject } from "./json-object.ts";
import { isTooDeep, topLevelId } from "./json-scan.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { ErrorObject, Issue } from "./method.ts";
import { InvalidParams, InvalidRequest, ParseError } from "./method.ts";

/** Member of a request body: a call, a notification, or an invalid value. */
export interface RequestMember {
  /** Id as JSON text, so that no digit is lost; undefined for a notification. */
  readonly idText: string | undefined;
  readonly method: string;
  /** Parameters as sent: an array, an object, or undefined. */
  readonly params: unknown;
  /** Reason why the member is not a request. The answer to such a member has the id `null` if no valid id was sent. */
  readonly fault: ErrorObject | undefined;
}

/** Request body: one member, several members, or an error for the whole body (answered with the id `null`). */
export type DecodedRequests =
  | { readonly member: RequestMember; readonly members?: undefined; readonly fault?: undefined }
  | { readonly members: readonly RequestMember[]; readonly member?: undefined; readonly fault?: undefined }
  | { readonly fault: ErrorObject; readonly member?: undefined; readonly members?: undefined };

// `fatal`: invalid UTF-8 is a parse error instead of a replacement character. A byte order mark is skipped.
const utf8 = new TextDecoder("utf-8", { fatal: true });

function idOf(member: unknown): string | undefined {
  if (typeof member !== "object" || member === null || !("id" in member)) return undefined;
  return typeof member.id === "string" ? member.id : undefined;
}

/**
 * Returns the text of the id of each member, with all its digits: a client expects exactly the id that it sent, and a
 * double cannot hold `9007199254740993`. It parses the whole body again, so it is called only for a body with such an
 * id.
 */
function idTexts(text: string): readonly (string | undefined)[] {
  const parsed = parseWithSource(text, (key, value, context) =>
    key === "id" && typeof value === "number" ? context?.source : value,
  );
  return Array.isArray(parsed) ? parsed.map(idOf) : [idOf(parsed)];
}

function isObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof ExactNumber);
}

function invalid(idText: string, ...[path, expected, value]: Parameters<typeof issueAt>): RequestMember {
  const fault = issuesError(InvalidRequest, "Invalid Request", [issueAt(path, expected, value)]);
  return { idText, method: "", params: undefined, fault };
}

/** Matches the JSON escape of a half of a character. A whole character has two, one after the other. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
/** Matches a half of a character. UTF-8 has no form for it, so it would be replaced where it is stored. */
const loneSurrogate = /\p{Surrogate}/u;

/** Returns the issue of the first text or member name with a half of a character; undefined without one. */
function surrogateIssue(value: unknown, path: readonly PropertyKey[]): Issue | undefined {
  if (typeof value === "string")
    return loneSurrogate.test(value) ? issueAt(path, "text without lone surrogates", value) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const issue = surrogateIssue(key, path) ?? surrogateIssue(member, [...path, key]);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

/** @param hasSurrogates false if no text of the body can have a half of a character */
function decodeMember(value: unknown, exactIdText: () => string | undefined, hasSurrogates: boolean): RequestMember {
  if (!isObject(value)) return invalid("null", [], "an object", value);
  const { jsonrpc, method, params, id } = value;
  let idText: string | undefined;
  if (typeof id === "string") idText = JSON.stringify(id);
  else if (typeof id === "number") idText = Number.isSafeInteger(id) ? String(id) : exactIdText();
  else if (id instanceof ExactNumber) idText = id.exactNumber;
  else if (id === null) idText = "null";
  else if (id !== undefined) return invalid("null", ["id"], "a string, a number or null", id);
  if (typeof id === "number" && idText === undefined)
    return invalid("null", ["id"], "an integer between -2^53 and 2^53", id);
  const reply = idText ?? "null";
  if (jsonrpc !== "2.0") return invalid(reply, ["jsonrpc"], '"2.0"', jsonrpc);
  if (typeof method !== "string") return invalid(reply, ["method"], "a string", method);
  if (params !== undefined && (typeof params !== "object" || params === null)) {
    return invalid(reply, ["params"], "an array", params);
  }
  const issue = hasSurrogates ? surrogateIssue(params, ["params"]) : undefined;
  return { idText, method, params, fault: issue && issuesError(InvalidParams, "Invalid params", [issue]) };
}

/** Parsed request body. */
export interface ParsedBody {
  /** Text of the body, which holds all digits of large ids. */
  readonly text: string;
  readonly value: unknown;
}

/**
 * Parses a request body. Its depth is checked first, because deep values take much time and memory.
 * @throws {SyntaxError} if the body is not JSON.
 * @throws {TypeError} if the body is not UTF-8.
 * @throws {RangeError} if arrays and objects are nested too deeply.
 */
export function parseBody(
  body: Piece,
  { maxDepth = defaultLimits.maxDepth, exactNumbers = false }: ParseOptions = {},
): ParsedBody {
  const text = textOf(body);
  if (isTooDeep(text, maxDepth)) throw new RangeError(`the body is nested more than ${maxDepth} levels deep`);
  return { text, value: exactNumbers ? withPlainIds(parseExactly(text)) : JSON.parse(text) };
}

interface ParseOptions extends Partial<Pick<Limits, "maxDepth">> {
  /** Parses a number that a double cannot hold as an `ExactNumber`, except an id, whose digits the text has. @default false */
  readonly exactNumbers?: boolean;
}

function withPlainIds(value: unknown): unknown {
  for (const member of Array.isArray(value) ? value : [value])
    if (isObject(member) && member.id instanceof ExactNumber)
      Object.assign(member, { id: Number(member.id.exactNumber) });
  return value;
}

function textOf(body: Piece): string {
  return typeof body === "string" ? body : utf8.decode(body);
}

/** Returns the member for a body that is nested too deeply. It has the id of the body; null for a batch. */
function tooDeep(text: string, maxDepth: number): RequestMember {
  const fault = limitExceeded(`at most ${maxDepth} levels of arrays and objects`);
  return { idText: topLevelId(text) ?? "null", method: "", params: undefined, fault };
}

function parseFault(reason: string): DecodedRequests {
  return { fault: { code: ParseError, message: `Parse error: ${reason}` } };
}

/**
 * Decodes a request body: one request object or a batch. Never throws.
 * @param parse parses the text of a body that is not parsed yet
 */
export function decodeRequests(
  body: Piece | ParsedBody,
  limits: Pick<Limits, "maxBatch" | "maxDepth">,
  parse: (text: string) => unknown = JSON.parse,
): DecodedRequests {
  const parsed = typeof body === "object" && "text" in body ? body : undefined;
  let text: string;
  try {
    text = parsed?.text ?? textOf(body as Piece); // a body that is not parsed is a piece
  } catch {
    return parseFault("the body is not UTF-8");
  }
  if (isTooDeep(text, limits.maxDepth)) return { member: tooDeep(text, limits.maxDepth) };
  let value: unknown;
  try {
    value = parsed === undefined ? parse(text) : parsed.value;
  } catch {
    return parseFault("the body is not JSON");
  }
  const hasSurrogates = surrogateEscape.test(text);
  if (!Array.isArray(value)) return { member: decodeMember(value, () => idTexts(text)[0], hasSurrogates) };
  if (value.length === 0 || value.length > limits.maxBatch) {
    const issue = issueAt([], `a batch of 1 to ${limits.maxBatch} requests`, value);
    return { fault: issuesError(InvalidRequest, "Invalid Request", [issue]) };
  }
  let texts: readonly (string | undefined)[] | undefined;
  const members = value.map((member: unknown, index) =>
    decodeMember(
      member,
      () => {
        texts ??= idTexts(text);
        return texts[index];
      },
      hasSurrogates,
    ),
  );
  return { members };
}

/** Returns the only parameter of a call by position, or the error of invalid params. */
export function onlyParam(params: unknown): { readonly value: unknown } | ErrorObject {
  const fault = (path: PropertyKey[], expected: string, value: unknown) =>
    issuesError(InvalidParams, "Invalid params", [issueAt(["params", ...path], expected, value)]);
  if (!Array.isArray(params)) return fault([], "an array of one object", params);
  if (params.length === 0) return fault([0], "an object", undefined);
  return params.length > 1 ? fault([1], "one object only", params[1]) : { value: params[0] };
}

/** Tells whether a call has no params. */
export function isEmpty(params: unknown): boolean {
  return params === undefined || (typeof params === "object" && params !== null && Object.keys(params).length === 0);
}
