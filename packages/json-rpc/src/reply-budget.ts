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
  /** Reserves bytes for an optional part of a result. Returns false if it does not fit into the share of these parts. */
  reserve(partBytes: number): boolean;
  /** Returns an answer that fits into the bytes that the answers before it have left, and an error for any other one. */
  fit(idText: string | undefined, answer: Text): Text;
}

/** Share of the bytes that optional parts may have, so that the answers of all members fit beside them. */
const optionalShare = 1 / 4;

export function createReplyBudget(maxReplyBytes: number): ReplyBudget {
  const error = limitExceeded(`a batch whose answers have at most ${maxReplyBytes} bytes`);
  let left = maxReplyBytes;
  let optionalLeft = maxReplyBytes * optionalShare;
  let isSpent = false;
  return {
    error,
    get isSpent() {
      return isSpent;
    },
    reserve(partBytes) {
      if (partBytes > optionalLeft) return false;
      optionalLeft -= partBytes;
      return true;
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
