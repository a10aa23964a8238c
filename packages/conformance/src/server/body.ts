import type { Part, Request } from "./corpus.ts";
import { fill, fillText, type Variables } from "./placeholders.ts";

function partText({ text, times = 1, separator = "" }: Part, variables: Variables): string {
  if (!text.includes("${")) return new Array<string>(times).fill(text).join(separator);
  return Array.from({ length: times }, (_, index) => fillText(text, { ...variables, index })).join(separator);
}

/** The bytes that a request's body is written as. */
export function bodyBytes(request: Request, variables: Variables): Buffer {
  if (request.base64 !== undefined) return Buffer.from(request.base64, "base64");
  if (request.text !== undefined) return Buffer.from(fillText(request.text, variables));
  if (request.parts !== undefined) return Buffer.from(request.parts.map((part) => partText(part, variables)).join(""));
  return request.json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(fill(request.json, variables)));
}
