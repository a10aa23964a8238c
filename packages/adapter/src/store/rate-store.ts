/** Rate of a token bucket. */
export interface Rate {
  readonly requestsPerSecond: number;
  /** Calls that are allowed at once after a pause. */
  readonly burst: number;
}

/** Token buckets, which all servers of a store share. A key has a full bucket at first. Pass the same rate for a key each time. */
export interface RateStore {
  /**
   * Takes a token from the bucket of a key. Returns 0, or the milliseconds until the bucket has one. A store may forget
   * a bucket that is full again.
   */
  take(key: string, rate: Rate): Promise<number>;
}
