import type { ResultStore, SourceConfiguration, Store } from "@quern/adapter";
import { checkAddress } from "./address.ts";

/** Settings of the store, the result store and the data sources. */
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
   * Data sources: a list, of which the first one is the default unless one has `isDefault`; or the address of a bucket in
   * which `quern sources` stores them for several servers, such as `s3://bucket/prefix`, which the package `@quern/s3`
   * serves. It may be the address of the results.
   * @default the sources in `sources/` of the data directory
   */
  readonly sources?: readonly SourceConfiguration[] | string | undefined;
  /** Maximum size of the local copies of data sources in a bucket, in bytes. @default 10,000,000,000 */
  readonly maxSourceCacheBytes?: number | undefined;
  /**
   * Longest time in seconds for which a server with a shared store uses a key or the limits of a tenant after they were
   * changed; 0 reads them at each call. The embedded store is read at each call.
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

export const storageDefaults = {
  maxResultCacheBytes: 10_000_000_000,
  maxSourceCacheBytes: 10_000_000_000,
  storeCacheSeconds: 5,
  leaseSeconds: 30,
} as const;

/**
 * Returns the interval in which a server renews leases, in milliseconds: two attempts before a lease ends, so that one
 * may fail.
 */
export const renewalMsOf = (leaseMs: number): number => leaseMs / 3;

/** Settings or flags with which an operator names a store or results, for messages. */
export interface StorageNames {
  readonly store: string;
  readonly results: string;
  readonly passwordFile: string;
  /** All settings or files of the password. */
  readonly password: string;
}

export const settingNames: StorageNames = {
  store: "setting store",
  results: "setting results",
  passwordFile: "setting storePasswordFile",
  password: "the variable QUERN_STORE_PASSWORD, or in the file of the setting storePasswordFile",
};

/** @throws {Error} if the address of the store is invalid or contains a secret */
export function checkStoreAddress(text: string, { store, password }: StorageNames = settingNames): void {
  checkAddress(store, text, {
    schemes: ["postgres:", "postgresql:"],
    example: "postgres://user@host/database",
    advice: `set it in ${password}`,
  });
}

const bucket = {
  schemes: ["s3:"],
  example: "s3://bucket/prefix",
  advice: "set the credentials in the variables of AWS, such as AWS_SECRET_ACCESS_KEY",
} as const;

/** @throws {Error} if the address of the result store is invalid or contains a secret */
export function checkResultsAddress(text: string, { results }: StorageNames = settingNames): void {
  checkAddress(results, text, bucket);
}

/** @throws {Error} if the address of the data sources is invalid or contains a secret */
export function checkSourcesAddress(text: string): void {
  checkAddress("setting sources", text, bucket);
}
