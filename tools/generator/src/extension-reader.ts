import { isJsonObject, isStringArray, textMembers } from "./json.ts";
import type { CancelsModel, MemberPath, PageModel, PollModel } from "./model.ts";
import { pointerBelow, pointerSegments } from "./pointer.ts";
import { SpecError } from "./spec-error.ts";

/** `x-poll`: which members a poller reads and writes, and when it stops. */
export function readPoll(value: unknown, pointer: string): PollModel | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value) || !isStringArray(value.final) || !isStringArray(value.success)) {
    throw new SpecError(
      pointer,
      "x-poll needs request and result (objects of JSON pointers), final and success (lists of states)",
    );
  }
  return { ...readPlaces(value, pointer), final: value.final, success: value.success };
}

/** `x-page`: which members select a page and describe it. */
export function readPage(value: unknown, pointer: string): PageModel | undefined {
  return value === undefined ? undefined : readPlaces(value, pointer);
}

/** `x-cancels`: which method is undone, and by which members. */
export function readCancels(value: unknown, pointer: string): CancelsModel | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value) || typeof value.method !== "string")
    throw new SpecError(pointer, "x-cancels needs the name of a method");
  return { method: value.method, request: readMembers(value.request, pointerBelow(pointer, "request")) };
}

function readPlaces(value: unknown, pointer: string): PageModel {
  const { request, result }: { request?: unknown; result?: unknown } = isJsonObject(value) ? value : {};
  return {
    request: readMembers(request, pointerBelow(pointer, "request")),
    result: readMembers(result, pointerBelow(pointer, "result")),
  };
}

function readMembers(value: unknown, pointer: string): Readonly<Record<string, MemberPath>> {
  const members = Object.entries(textMembers(value));
  const wrong = members.find(([, place]) => !place.startsWith("/"));
  if (members.length === 0 || wrong !== undefined)
    throw new SpecError(pointer, "must be an object of JSON pointers, each beginning with /");
  return Object.fromEntries(members.map(([name, place]) => [name, pointerSegments(place)]));
}
