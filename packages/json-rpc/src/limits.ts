/** Limits of a request and its reply. */
export interface Limits {
  /** Maximum size of a request body in bytes; above it HTTP 413. */
  readonly maxBodyBytes: number;
  /** Maximum number of members in a batch; above it one error -32600 for the whole batch. */
  readonly maxBatch: number;
  /** Maximum depth of nested arrays and objects; above it -32600. */
  readonly maxDepth: number;
  /**
   * Maximum number of members of one batch that run at the same time. A member is not counted while it is in `hold`.
   */
  readonly maxBatchConcurrency: number;
  /** Maximum size of all answers to one batch, in bytes. An answer that does not fit any more is replaced by -32600. */
  readonly maxReplyBytes: number;
}

/** Default of each limit. */
export const defaultLimits: Limits = {
  maxBodyBytes: 4 * 1024 * 1024,
  maxBatch: 1000,
  maxDepth: 100,
  maxBatchConcurrency: 16,
  maxReplyBytes: 64 * 1024 * 1024,
};
