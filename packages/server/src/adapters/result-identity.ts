import { randomUUID } from "node:crypto";
import type { SettingStore } from "@quern/adapter";

/** Settings of a store that say where its results are. {@link copyIdentity} copies them, and not the copy of records. */
const names = {
  /** Id in the object `quern.json` of the bucket. */
  id: "resultStoreId",
  /** Address of the bucket at the last start; null if the results are in a data directory. */
  address: "resultStoreAddress",
  /** Id for the bucket of a move that has not ended. */
  next: "nextResultStoreId",
} as const;

/** Location of the results as a store remembers it. */
export interface ResultIdentity {
  /** Id that the bucket must have. */
  readonly serviceId: string;
  /** Address of the bucket with the results. Undefined if the store knows none, so that an empty bucket is accepted. */
  readonly previousUrl: string | undefined;
  /** True writes the id into an empty bucket. */
  readonly claims: boolean;
}

/** Tells whether a setting says where the results are. */
export function isOfResults(name: string): boolean {
  return Object.values<string>(names).includes(name);
}

/** Returns the identity with which a service opens its results. Stores a new id for one that has none. */
export async function resultIdentity(settings: SettingStore): Promise<ResultIdentity> {
  const serviceId = parsed(await settings.getOrCreate(names.id, JSON.stringify(randomUUID()))) ?? "";
  return { serviceId, previousUrl: await resultAddress(settings), claims: true };
}

/** Returns an identity that checks the results of a service, and changes neither the store nor the bucket. */
export async function checkedIdentity(settings: SettingStore): Promise<ResultIdentity> {
  const serviceId = parsed(await settings.get(names.id)) ?? randomUUID();
  return { serviceId, previousUrl: await resultAddress(settings), claims: false };
}

/** Returns the address of the bucket that has the results of a service; undefined if the store knows none. */
export async function resultAddress(settings: SettingStore): Promise<string | undefined> {
  return parsed(await settings.get(names.address));
}

/**
 * Returns an identity for a bucket to which the results move. It is the same until {@link adoptResults}, so that an
 * interrupted move continues, and then the bucket before has another id.
 */
export async function nextIdentity(settings: SettingStore): Promise<ResultIdentity> {
  let serviceId = parsed(await settings.get(names.next));
  if (serviceId === undefined) {
    serviceId = randomUUID();
    await settings.set(names.next, JSON.stringify(serviceId));
  }
  return { serviceId, previousUrl: undefined, claims: true };
}

/**
 * Lets a store use the bucket of {@link nextIdentity}, or a data directory, and no longer the bucket before.
 * @param address undefined for a data directory
 */
export async function adoptResults(settings: SettingStore, address: string | undefined): Promise<void> {
  const { serviceId } = await nextIdentity(settings);
  await settings.set(names.id, JSON.stringify(serviceId));
  await rememberAddress(settings, address);
  await settings.set(names.next, "null");
}

export function rememberAddress(settings: SettingStore, address: string | undefined): Promise<void> {
  return settings.set(names.address, JSON.stringify(address ?? null));
}

/** Copies what a store knows about its results to another store without such knowledge. */
export async function copyIdentity(from: SettingStore, to: SettingStore): Promise<void> {
  for (const name of [names.id, names.address]) {
    const text = await from.get(name);
    if (text !== undefined) await to.getOrCreate(name, text);
  }
}

/** Returns the value of a setting that only this file writes: a text, or null. */
function parsed(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (JSON.parse(text) ?? undefined);
}
