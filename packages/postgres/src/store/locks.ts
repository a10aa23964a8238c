/** First keys of the advisory locks of transactions. The second key is a hash of the name, or 0. */
export const lockClasses = {
  /** New runs of a tenant, so that none is counted twice or not at all. */
  tenant: 1,
  /** New runs of all tenants, if the queue is almost full. */
  queue: 2,
  /** Leases with a name. */
  lease: 3,
} as const;
