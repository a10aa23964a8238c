import { existsSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { Store } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { ownerOnly } from "../common/data-directory.ts";
import { type AuditEvent, openAuditLog } from "../telemetry/audit-log.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";

/** What an operator asked for cannot be done as they asked; the message says what to do. */
export class AdministrationError extends Error {
  override readonly name = "AdministrationError";
}

type Change = Pick<AuditEvent, "action" | "tenantId" | "userId"> & Partial<AuditEvent>;

/** Store of a data directory, beside the server that may run on it. */
export interface OpenDirectory extends Pick<Store, "keys" | "tenants" | "usage" | "settings"> {
  readonly now: Instant;
  /** Keeps in the audit log what an operator has changed. */
  audit(change: Change): void;
}

/** @throws {AdministrationError} where there is no data directory and none is to be made */
export async function inDataDirectory<T>(
  dataDir: string,
  work: (directory: OpenDirectory) => Promise<T>,
  { make = false }: { readonly make?: boolean } = {},
): Promise<T> {
  const root = resolve(dataDir);
  const file = join(root, "quern.db");
  if (make) mkdirSync(root, ownerOnly);
  else if (!existsSync(file)) throw new AdministrationError(`there is no data directory of Quern at ${root}`);
  const store = openSqliteStore(file);
  try {
    const now = await store.now();
    const audit = (change: Change): void => {
      const log = openAuditLog(root);
      log.record({ keyId: null, address: "local", operator: userInfo().username, ...change }, now);
      log.close();
    };
    return await work({ ...store, now, audit });
  } finally {
    await store.close();
  }
}
