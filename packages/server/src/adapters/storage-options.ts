import type { ResultStore, Store } from "@quern/adapter";
import type { ServerSettings } from "../generated/settings.ts";
import { checkAddress } from "./address.ts";

/** Settings of the store, the result store and the data sources. */
export interface StorageOptions
  extends Pick<
    ServerSettings,
    "storePassword" | "storePasswordFile" | "leaseSeconds" | "maxResultCacheBytes" | "sources"
  > {
  /** Address as in {@link ServerSettings}, or a store of your own, which the server closes. */
  readonly store?: string | Store | undefined;
  /** Address as in {@link ServerSettings}, or a result store of your own, which the server closes. */
  readonly results?: string | ResultStore | undefined;
}

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
