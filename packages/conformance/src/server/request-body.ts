import type { Part, Request } from "./corpus.ts";
import { idTexts, isObject } from "./json.ts";
import { fill, fillText, type Variables } from "./placeholders.ts";

/** Returns the body of a request as bytes. Fills the placeholders, except in `base64`. */
export function bodyBytes(request: Request, variables: Variables): Buffer {
  if (request.base64 !== undefined) return Buffer.from(request.base64, "base64");
  if (request.text !== undefined) return Buffer.from(fillText(request.text, variables));
  if (request.parts !== undefined) return Buffer.from(request.parts.map((part) => partText(part, variables)).join(""));
  return request.json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(fill(request.json, variables)));
}

function partText({ text, times = 1, separator = "" }: Part, variables: Variables): string {
  if (!text.includes("${")) return new Array<string>(times).fill(text).join(separator);
  return Array.from({ length: times }, (_, index) => fillText(text, { ...variables, index })).join(separator);
}

/** One member of a sent body, as far as it can be read. */
export interface SentMember {
  /** JSON text of the id; undefined without an id that a response can repeat. */
  readonly idText: string | undefined;
  readonly method: string | undefined;
  readonly params: unknown;
  /** True for a valid request without an id. */
  readonly isNotification: boolean;
}

/** Reads the members of a sent body. Returns none for a body that is not JSON. */
export function sentMembers(body: Buffer): readonly SentMember[] {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const members: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = exactIds(text, value, members);
  return members.map((member, index) => {
    if (!isObject(member)) return { idText: undefined, method: undefined, params: undefined, isNotification: false };
    const { jsonrpc, method, params, id } = member;
    const isRequest =
      jsonrpc === "2.0" &&
      typeof method === "string" &&
      (params === undefined || (typeof params === "object" && params !== null));
    return {
      idText: texts[index],
      method: typeof method === "string" ? method : undefined,
      params,
      isNotification: isRequest && id === undefined,
    };
  });
}

/**
 * Returns the ids as JSON text with all their digits. In a body too deep to parse with a reviver, a long id loses
 * digits.
 */
function exactIds(text: string, value: unknown, members: readonly unknown[]): readonly (string | undefined)[] {
  try {
    return idTexts(text, value);
  } catch {
    return members.map((member) =>
      isObject(member) && member.id !== undefined ? JSON.stringify(member.id) : undefined,
    );
  }
}
