/** What a request, and the reply to it, may be at most. */
export interface Limits {
  /** Bytes of an HTTP body. Above: HTTP 413. */
  readonly maxBodyBytes: number;
  /** Members of a batch. Above: one -32600 for the whole batch. */
  readonly maxBatch: number;
  /** Depth of nested arrays and objects. Above: -32600. */
  readonly maxDepth: number;
  /** Members of one batch that are performed at the same time; those that wait do not count. */
  readonly maxBatchConcurrency: number;
  /** Bytes of the answers to one batch. A member whose answer does not fit beside the others: -32600. */
  readonly maxReplyBytes: number;
}

export const defaultLimits: Limits = {
  maxBodyBytes: 4 * 1024 * 1024,
  maxBatch: 1000,
  maxDepth: 100,
  maxBatchConcurrency: 16,
  maxReplyBytes: 64 * 1024 * 1024,
};
