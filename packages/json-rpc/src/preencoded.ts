import { byteLength } from "./bytes.ts";

/** A result that is JSON text already; it goes into the reply without being read. Made by `preencoded`. */
export interface Preencoded {
  readonly [jsonText]: string | Uint8Array;
}

const jsonText = Symbol("jsonText");

/** Marks JSON text (or its UTF-8 bytes) as a method's result, so that a large page is not parsed and written again. */
export function preencoded(json: string | Uint8Array): Preencoded {
  return { [jsonText]: json };
}

/** The JSON text of a preencoded result, undefined for any other. */
export function preencodedText(result: unknown): string | Uint8Array | undefined {
  return typeof result === "object" && result !== null && jsonText in result
    ? (result as Preencoded)[jsonText]
    : undefined;
}

/** How many bytes a preencoded result has; 0 for any other. */
export function preencodedBytes(result: unknown): number {
  const text = preencodedText(result);
  return text === undefined ? 0 : byteLength([text]);
}
