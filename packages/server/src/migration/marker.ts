import type { SettingStore } from "@quern/adapter";
import { isOfResults } from "../adapters/result-identity.ts";

/** Setting of a store that is or was the target of a migration. */
const markerName = "migration";

/** Tells whether a setting belongs to the location of a store, so that it does not move with the records. */
export function isOfLocation(name: string): boolean {
  return name === markerName || isOfResults(name);
}

/** Migration of which a store is the target. */
export interface Marker {
  /** Source, in words. */
  readonly from: string;
  readonly state: "copying" | "done";
}

export async function readMarker(settings: SettingStore): Promise<Marker | undefined> {
  const text = await settings.get(markerName);
  return text === undefined ? undefined : JSON.parse(text); // written by this file only
}

export function writeMarker(settings: SettingStore, marker: Marker): Promise<void> {
  return settings.set(markerName, JSON.stringify(marker));
}

/** @throws {Error} if the store is the target of a migration that has not ended */
export async function refuseUnfinishedMigration(settings: SettingStore): Promise<void> {
  const marker = await readMarker(settings);
  if (marker?.state === "copying")
    throw new Error(
      `Unfinished migration of the store from ${marker.from}; run the same quern migrate-store again, or use another store.`,
    );
}
