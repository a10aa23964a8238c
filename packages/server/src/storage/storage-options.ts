import type { ResultStore, Store } from "@quern/adapter";
import { checkAddress } from "./address.ts";

/** Settings of the store and the result store. */
export interface StorageOptions {
  /**
   * Store of runs, keys, tenants and usage: the address of a PostgreSQL database that several servers share, such as
   * `postgres://quern@db.example.com/quern`, which the package `@quern/postgres` serves; or a store of your own, which
   * the server closes. An address must not contain a password.
   * @default an SQLite file in the data directory
   */
  readonly store?: string | Store | undefined;
  /** Password of the store. @default the text in `storePasswordFile` */
  readonly storePassword?: string | undefined;
  /** File with the password of the store. @default no password */
  readonly storePasswordFile?: string | undefined;
  /**
   * Store of results: the address of a bucket that several servers share, such as `s3://bucket/prefix`, which the
   * package `@quern/s3` serves; or a result store of your own, which the server closes. A shared store needs one.
   * @default files in the data directory
   */
  readonly results?: string | ResultStore | undefined;
  /** Maximum size of the local copies of results in a bucket, in bytes. @default 10,000,000,000 */
  readonly maxResultCacheBytes?: number | undefined;
  /**
   * Longest time in seconds for which a server with a shared store uses a key or the limits of a tenant after another
   * server changed them; 0 reads them at each call. The embedded store is read at each call.
   * @default 5
   */
  readonly storeCacheSeconds?: number | undefined;
  /**
   * Time in seconds after which other servers of a shared store execute the runs of a server that no longer renews
   * their leases. A server renews the leases of its runs three times as often, and stops a run whose lease it cannot
   * renew.
   * @default 30
   */
  readonly leaseSeconds?: number | undefined;
}

export const storageDefaults = { maxResultCacheBytes: 10_000_000_000, storeCacheSeconds: 5, leaseSeconds: 30 } as const;

/** @throws {Error} if the address of the store is invalid or contains a secret */
export function checkStoreAddress(text: string): void {
  checkAddress("store", text, {
    schemes: ["postgres:", "postgresql:"],
    example: "postgres://user@host/database",
    advice: "set it in the variable QUERN_STORE_PASSWORD, or in the file of the setting storePasswordFile",
  });
}

/** @throws {Error} if the address of the result store is invalid or contains a secret */
export function checkResultsAddress(text: string): void {
  checkAddress("results", text, {
    schemes: ["s3:"],
    example: "s3://bucket/prefix",
    advice: "set the credentials in the variables of AWS, such as AWS_SECRET_ACCESS_KEY",
  });
}
