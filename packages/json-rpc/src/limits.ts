/** What a request may be at most. */
export interface Limits {
  /** Bytes of an HTTP body. Above: HTTP 413. */
  readonly maxBodyBytes: number;
  /** Members of a batch. Above: one -32600 for the whole batch. */
  readonly maxBatch: number;
  /** Depth of nested arrays and objects. Above: -32600. */
  readonly maxDepth: number;
  /** Members of one batch that are performed at the same time. */
  readonly maxBatchConcurrency: number;
}

export const defaultLimits: Limits = {
  maxBodyBytes: 4 * 1024 * 1024,
  maxBatch: 1000,
  maxDepth: 100,
  maxBatchConcurrency: 16,
};
