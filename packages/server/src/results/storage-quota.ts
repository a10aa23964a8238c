import { isStatementError, type ResultCaps, StatementError, type TenantStore } from "@quern/adapter";
import { resultTooLarge } from "@quern/duckdb";
import type { LimitsOf } from "../identity/tenant-limits.ts";

/** Quota of stored results for each tenant. */
export interface StorageQuota {
  /**
   * Returns caps that a result must keep so that it fits into the quota of its tenant, and a function that
   * replaces an error of those caps by StorageQuotaExceeded. The store checks the quota again when a result is committed,
   * since other results may have been stored meanwhile.
   * @throws {StatementError} StorageQuotaExceeded if nothing fits
   */
  capsOf(tenantId: string, caps: ResultCaps): Promise<ResultCaps & { explain(error: unknown): unknown }>;
  /** Returns the quota of a tenant in bytes; undefined without one. */
  maxStoredBytes(tenantId: string): Promise<number | undefined>;
}

export function createStorageQuota(tenants: Pick<TenantStore, "storedBytes">, limitsOf: LimitsOf): StorageQuota {
  const maxStoredBytes = async (tenantId: string) => (await limitsOf(tenantId)).maxStoredBytes;
  return {
    maxStoredBytes,
    async capsOf(tenantId, caps) {
      const { maxResultBytes } = caps;
      const quota = await maxStoredBytes(tenantId);
      const unchanged = { ...caps, explain: (cause: unknown) => cause };
      if (quota === undefined) return unchanged;
      const left = quota - (await tenants.storedBytes(tenantId));
      const error = quotaExceeded(quota);
      if (left <= 0) throw error;
      if (left >= maxResultBytes) return unchanged;
      const { message } = resultTooLarge(`${left} bytes`);
      return {
        ...caps,
        maxResultBytes: left,
        explain: (cause) => (isStatementError(cause) && cause.message === message ? error : cause),
      };
    },
  };
}

/** Returns the error of a result that does not fit into the quota of its tenant. */
export function quotaExceeded(maxStoredBytes: number): StatementError {
  return new StatementError({
    name: "StorageQuotaExceeded",
    message: `The result does not fit into the storage quota of the tenant (${maxStoredBytes} bytes); wait until results expire, or select fewer rows or columns.`,
    data: { category: "RESOURCE", retryable: true },
  });
}
