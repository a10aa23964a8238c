import { type Faults, nearest, suggestion } from "./faults.ts";
import { isJsonObject, isStringArray } from "./json.ts";
import type { CancelsModel, MemberPath, PageModel, PollModel } from "./model.ts";
import { pointerBelow, pointerSegments } from "./pointer.ts";

const methodExtensions = ["x-poll", "x-page", "x-cancels", "x-read-only", "x-tool"];

/** Roles for which an extension names members of the params (`request`) and of the result. */
const roles = {
  poll: { request: ["id", "wait"], result: ["state", "error"] },
  page: { request: ["number", "size"], result: ["rows", "columns", "totalRows", "totalPages"] },
  cancels: { request: ["run", "withdraw"] },
} as const;

/** Reports extensions whose names are close to those of Quern. Other extensions are allowed. */
export function reportMisspelt(method: object, pointer: string, faults: Faults): void {
  for (const name of Object.keys(method).filter((key) => key.startsWith("x-") && !methodExtensions.includes(key))) {
    const meant = nearest(name, methodExtensions);
    if (meant !== undefined)
      faults.report(pointerBelow(pointer, name), `unknown extension: "${name}"; did you mean "${meant}"?`);
  }
}

/** Reads `x-read-only`: true if the method changes nothing. */
export function readReadOnly(value: unknown, pointer: string, faults: Faults): boolean {
  if (value !== undefined && typeof value !== "boolean")
    faults.report(
      pointer,
      `must be true or false, got ${JSON.stringify(value)}; write true if the method changes nothing`,
    );
  return value === true;
}

/** Reads `x-poll`: the members that a poller reads and writes, and the states that end the poll. */
export function readPoll(value: unknown, pointer: string, faults: Faults): PollModel | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value) || !isStringArray(value.final) || !isStringArray(value.success)) {
    faults.report(
      pointer,
      "x-poll needs request and result (objects of JSON pointers), final and success (lists of states)",
    );
    return undefined;
  }
  const { final, success } = value;
  reportUnknown(value, ["request", "result", "final", "success"], pointer, faults);
  const model = { ...readMemberPaths(value, roles.poll, pointer, faults), final, success };
  for (const [part, role] of [
    ["request", "id"],
    ["result", "state"],
  ] as const)
    if (model[part][role] === undefined)
      faults.report(pointerBelow(pointer, part), `missing pointer: "${role}"; add the pointer of that member`);
  for (const [index, state] of success.entries())
    if (!final.includes(state))
      faults.report(pointerBelow(pointer, "success", index), `"${state}" is not final${suggestion(state, final)}`);
  return model;
}

/** Reads `x-page`: the members that select a page and describe it. */
export function readPage(value: unknown, pointer: string, faults: Faults): PageModel | undefined {
  if (value === undefined) return undefined;
  reportUnknown(value, ["request", "result"], pointer, faults);
  return readMemberPaths(value, roles.page, pointer, faults);
}

/** Reads `x-cancels`: the method whose effect is canceled, and the members of the params that identify the effect. */
export function readCancels(value: unknown, pointer: string, faults: Faults): CancelsModel | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value) || typeof value.method !== "string") {
    faults.report(pointer, "missing method of x-cancels; name the method that it cancels");
    return undefined;
  }
  reportUnknown(value, ["method", "request"], pointer, faults);
  const request = readMembers(value.request, roles.cancels.request, pointerBelow(pointer, "request"), faults);
  return { method: value.method, request };
}

interface Roles {
  readonly request: readonly string[];
  readonly result: readonly string[];
}

function readMemberPaths(value: unknown, known: Roles, pointer: string, faults: Faults): PageModel {
  const { request, result }: { request?: unknown; result?: unknown } = isJsonObject(value) ? value : {};
  return {
    request: readMembers(request, known.request, pointerBelow(pointer, "request"), faults),
    result: readMembers(result, known.result, pointerBelow(pointer, "result"), faults),
  };
}

function readMembers(
  value: unknown,
  known: readonly string[],
  pointer: string,
  faults: Faults,
): Readonly<Record<string, MemberPath>> {
  const members = Object.entries(isJsonObject(value) ? value : {});
  if (members.length === 0 || members.some(([, path]) => typeof path !== "string" || !path.startsWith("/"))) {
    faults.report(pointer, "must be an object of JSON pointers; begin each with /");
    return {};
  }
  reportUnknown(value, known, pointer, faults);
  return Object.fromEntries(members.map(([name, path]) => [name, pointerSegments(String(path))]));
}

export function reportUnknown(value: unknown, known: readonly string[], pointer: string, faults: Faults): void {
  for (const name of Object.keys(isJsonObject(value) ? value : {}).filter((key) => !known.includes(key)))
    faults.report(pointerBelow(pointer, name), `unknown member: "${name}"${suggestion(name, known)}`);
}
