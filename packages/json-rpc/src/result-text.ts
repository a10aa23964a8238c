import { byteLength, piecesOf, type Text } from "./bytes.ts";
import { issuesError } from "./issue.ts";
import { InternalError, type Schema } from "./method.ts";

const utf8 = new TextDecoder();

/** Result as JSON text, which is sent unchanged. Made by `preencoded`. */
export interface Preencoded {
  readonly [encoded]: {
    readonly text: Text;
    /** True once the result has been validated. */
    isValid: boolean;
  };
}

const encoded = Symbol("encoded");

/**
 * Wraps JSON text, its UTF-8 bytes, or consecutive pieces of both as the result of a method, so that a large page is not
 * serialized again.
 */
export function preencoded(json: Text | Uint8Array): Preencoded {
  return { [encoded]: { text: json instanceof Uint8Array ? [json] : json, isValid: false } };
}

/** Returns the JSON text of a preencoded result; undefined for any other result. */
function encodedOf(result: unknown): Preencoded[typeof encoded] | undefined {
  return typeof result === "object" && result !== null && encoded in result
    ? (result as Preencoded)[encoded]
    : undefined;
}

/** Returns the size of a preencoded result in bytes; 0 for any other result. */
export function preencodedBytes(result: unknown): number {
  const known = encodedOf(result);
  return known === undefined ? 0 : byteLength(known.text);
}

/**
 * Returns the JSON text of a result; the text `null` for undefined.
 * @throws {TypeError} if the result cannot be written as JSON.
 */
export function resultText(result: unknown): Text {
  return encodedOf(result)?.text ?? JSON.stringify(result) ?? "null";
}

/**
 * Returns a function that validates a result and returns its JSON text. A preencoded result that is valid is validated
 * only the first time it is sent.
 * The function throws if the result is not valid.
 */
export function checkedText(schema: Schema<unknown>): typeof resultText {
  return (result) => {
    const known = encodedOf(result);
    if (known?.isValid) return known.text;
    const value = known === undefined ? result : JSON.parse(stringOf(known.text));
    const { issues } = schema["~standard"].validate(value);
    if (issues !== undefined) throw new Error(issuesError(InternalError, "The result is not valid", issues).message);
    if (known === undefined) return resultText(result);
    known.isValid = true;
    return known.text;
  };
}

function stringOf(text: Text): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : utf8.decode(piece)))
    .join("");
}
