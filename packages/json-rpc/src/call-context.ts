import type { RequestHeaders } from "./reply.ts";

/**
 * Functions for a call that waits for an event, such as the end of a run. The calls of a batch end their waits
 * together.
 */
export interface Waiting {
  /**
   * Runs `wait` outside the concurrency limit of the batch.
   * @param wait Its signal is aborted when the client disconnects, or when a call of the same batch calls `endWaits`.
   */
  hold<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Reports that the awaited event has happened. Aborts the signals of the waits of all calls of the batch. */
  endWaits(): void;
}

/** Context of a call. */
export interface CallContext<Principal> extends Waiting {
  /** Result of `authenticate`. */
  readonly principal: Principal;
  readonly headers: RequestHeaders;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly method: string;
  /**
   * Reserves bytes for an optional part of the result. Returns false if the optional parts of a batch would exceed a
   * quarter of `maxReplyBytes`; the result must then omit the part. Always true outside a batch.
   */
  reserveReply(partBytes: number): boolean;
  /**
   * Calls a function when the reply to the whole request has been sent, for example to free the memory of a result.
   * Never calls it if the client has disconnected before, and in `createFetch`.
   */
  onSent(callback: () => void): void;
}
