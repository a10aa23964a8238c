import { idTexts, isObject } from "./json.ts";

/** One member of a body that was sent, as far as it can be read. */
export interface SentMember {
  /** The JSON text of the id, undefined where there is none that can be echoed. */
  readonly idText: string | undefined;
  readonly method: string | undefined;
  readonly params: unknown;
  /** True if the member is a valid request without an id. */
  readonly isNotification: boolean;
}

/** Ids with all their digits; of a body that is too deep for a second reading, as a double holds them. */
function exactIds(text: string, members: readonly unknown[]): readonly (string | undefined)[] {
  try {
    return idTexts(text);
  } catch {
    return members.map((member) =>
      isObject(member) && member.id !== undefined ? JSON.stringify(member.id) : undefined,
    );
  }
}

/** The members of a sent body; none where it is not JSON. */
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
  const texts = exactIds(text, members);
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
