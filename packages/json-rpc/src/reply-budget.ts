import { byteLength, joined, piecesOf, type Text } from "./bytes.ts";
import { encodeError } from "./call.ts";
import { limitExceeded } from "./issue.ts";
import type { ErrorObject } from "./method.ts";

/** Bytes that the answers of one batch may have together. */
export interface ReplyBudget {
  /** True once an answer did not fit. */
  readonly isSpent: boolean;
  /** Error of a member whose answer does not fit. */
  readonly error: ErrorObject;
  /** Returns an answer that fits into the bytes that the answers before it have left, and an error for any other one. */
  fit(idText: string | undefined, answer: Text): Text;
}

export function createReplyBudget(maxReplyBytes: number): ReplyBudget {
  const error = limitExceeded(`a batch whose answers have at most ${maxReplyBytes} bytes`);
  let left = maxReplyBytes;
  let isSpent = false;
  return {
    error,
    get isSpent() {
      return isSpent;
    },
    fit(idText = "null", answer) {
      const pieces = joined(piecesOf(answer));
      const bytes = byteLength(pieces);
      if (bytes > left) {
        isSpent = true;
        return encodeError(idText, error);
      }
      left -= bytes;
      return pieces;
    },
  };
}
