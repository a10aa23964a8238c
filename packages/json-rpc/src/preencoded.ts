import { byteLength } from "./bytes.ts";

/** Result as JSON text, which is sent without being parsed. Made by `preencoded`. */
export interface Preencoded {
  readonly [jsonText]: string | Uint8Array;
}

const jsonText = Symbol("jsonText");

/** Wraps JSON text (or its UTF-8 bytes) as the result of a method, so that a large page is not serialized again. */
export function preencoded(json: string | Uint8Array): Preencoded {
  return { [jsonText]: json };
}

/** Returns the JSON text of a preencoded result; undefined for any other result. */
export function preencodedText(result: unknown): string | Uint8Array | undefined {
  return typeof result === "object" && result !== null && jsonText in result
    ? (result as Preencoded)[jsonText]
    : undefined;
}

/** Returns the size of a preencoded result in bytes; 0 for any other result. */
export function preencodedBytes(result: unknown): number {
  const text = preencodedText(result);
  return text === undefined ? 0 : byteLength([text]);
}
