import { byteLength, markSentOnce, piecesOf, type Text } from "./bytes.ts";
import { issuesError } from "./issue.ts";
import { InternalError, type Schema } from "./method.ts";

const utf8 = new TextDecoder();

/** Result as JSON text, which is sent unchanged. Made by `preencoded`. */
export interface Preencoded {
  readonly [jsonText]: Text;
}

const jsonText = Symbol("jsonText");

/** Options of `preencoded`. */
export interface PreencodedOptions {
  /**
   * Frees byte arrays once they are sent, before the next garbage collection. Nothing else may use their buffers. A byte
   * array that is a part of its buffer is not freed.
   * @default false
   */
  readonly isSentOnce?: boolean;
}

/**
 * Wraps JSON text, its UTF-8 bytes, or consecutive pieces of both as the result of a method, so that a large page is not
 * serialized again.
 */
export function preencoded(json: Text | Uint8Array, { isSentOnce = false }: PreencodedOptions = {}): Preencoded {
  const text = json instanceof Uint8Array ? [json] : json;
  if (isSentOnce) markSentOnce(text);
  return { [jsonText]: text };
}

/** Returns the JSON text of a preencoded result; undefined for any other result. */
function preencodedText(result: unknown): Text | undefined {
  return typeof result === "object" && result !== null && jsonText in result
    ? (result as Preencoded)[jsonText]
    : undefined;
}

/** Returns the size of a preencoded result in bytes; 0 for any other result. */
export function preencodedBytes(result: unknown): number {
  const text = preencodedText(result);
  return text === undefined ? 0 : byteLength(text);
}

/**
 * Returns the JSON text of a result; the text `null` for undefined.
 * @throws {TypeError} if the result cannot be written as JSON.
 */
export function resultText(result: unknown): Text {
  return preencodedText(result) ?? JSON.stringify(result) ?? "null";
}

/**
 * Returns a function that validates a result and returns its JSON text. A preencoded result that is valid is validated
 * only the first time it is sent.
 * The function throws if the result is not valid.
 */
export function checkedText(schema: Schema<unknown>): typeof resultText {
  const valid = new WeakSet<object>();
  return (result) => {
    const text = preencodedText(result);
    // A preencoded result is always an object.
    if (text !== undefined && valid.has(result as object)) return text;
    const value = text === undefined ? result : JSON.parse(stringOf(text));
    const { issues } = schema["~standard"].validate(value);
    if (issues !== undefined) throw new Error(issuesError(InternalError, "The result is not valid", issues).message);
    if (text !== undefined) valid.add(result as object);
    return text ?? resultText(result);
  };
}

function stringOf(text: Text): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : utf8.decode(piece)))
    .join("");
}
