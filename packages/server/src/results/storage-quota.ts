import { type ResultCaps, StatementError, type StatementFailure, type TenantStore } from "@quern/adapter";
import { resultTooLarge } from "@quern/duckdb";
import type { LimitsOf } from "../identity/tenant-limits.ts";

/** Quota of stored results for each tenant. */
export interface StorageQuota {
  /**
   * Returns caps that a result must keep so that it fits into the quota of its tenant, and a function that
   * replaces an error of those caps by StorageQuotaExceeded.
   * @throws {StatementError} StorageQuotaExceeded if nothing fits
   */
  capsOf(tenantId: string, caps: ResultCaps): Promise<ResultCaps & { explain(error: unknown): unknown }>;
  /**
   * Counts a result that is being committed, until the returned function is called. The check of the caps alone would
   * admit several results at the same time, each of which fits without the others.
   * @throws {StatementError} StorageQuotaExceeded
   */
  claim(tenantId: string, bytes: number): Promise<() => void>;
}

export function createStorageQuota(tenants: Pick<TenantStore, "storedBytes">, limitsOf: LimitsOf): StorageQuota {
  const claimed = new Map<string, number>();

  function add(tenantId: string, bytes: number): void {
    const sum = (claimed.get(tenantId) ?? 0) + bytes;
    if (sum === 0) claimed.delete(tenantId);
    else claimed.set(tenantId, sum);
  }

  /** Returns the bytes that a tenant may store beside the stored ones, and the error of its quota. */
  async function stateOf(tenantId: string): Promise<{ readonly left: number; readonly error: StatementError }> {
    const { maxStoredBytes = Number.POSITIVE_INFINITY } = await limitsOf(tenantId);
    const left = maxStoredBytes - (await tenants.storedBytes(tenantId));
    return { left, error: new StatementError(quotaExceeded(maxStoredBytes)) };
  }

  return {
    async capsOf(tenantId, { maxResultBytes, maxResultRows }) {
      const { left, error } = await stateOf(tenantId);
      const room = left - (claimed.get(tenantId) ?? 0);
      if (room <= 0) throw error;
      if (room >= maxResultBytes) return { maxResultBytes, maxResultRows, explain: (cause) => cause };
      const { message } = resultTooLarge(`${room} bytes`);
      return {
        maxResultBytes: room,
        maxResultRows,
        explain: (cause) => (cause instanceof StatementError && cause.message === message ? error : cause),
      };
    },
    async claim(tenantId, bytes) {
      // Later claims do not count, so that one of several results that fit only alone is admitted.
      const earlier = claimed.get(tenantId) ?? 0;
      add(tenantId, bytes);
      try {
        const { left, error } = await stateOf(tenantId);
        if (earlier + bytes > left) throw error;
      } catch (error) {
        add(tenantId, -bytes);
        throw error;
      }
      return () => add(tenantId, -bytes);
    },
  };
}

function quotaExceeded(maxStoredBytes: number): StatementFailure {
  return {
    name: "StorageQuotaExceeded",
    message: `The result does not fit into the storage quota of the tenant (${maxStoredBytes} bytes); wait until results expire, or select fewer rows or columns.`,
    data: { category: "RESOURCE", retryable: true },
  };
}
