import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import type { SettingStore } from "@quern/adapter";

const name = "linkSecret";
const secretBytes = 32;

/** Returns the secret that links are signed with. All servers on a store have the same; links outlive a restart. */
export async function linkSecret(settings: SettingStore): Promise<Uint8Array> {
  const text = await settings.getOrCreate(name, textOf(randomBytes(secretBytes)));
  return Buffer.from(JSON.parse(text), "base64url"); // written by this module alone
}

/** Ends all links that were given out, on all servers at once, by another secret. */
export function revokeLinks(settings: SettingStore): Promise<void> {
  return settings.set(name, textOf(randomBytes(secretBytes)));
}

/** Moves the secret that earlier versions kept in a file into the store, unless that has one: the links stay good. */
export async function adoptLinkSecret(settings: SettingStore, file: string): Promise<void> {
  const secret = await readFile(file).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (secret === undefined) return;
  // A file that was cut off while it was written is no secret.
  if (secret.length >= secretBytes) await settings.getOrCreate(name, textOf(secret));
  await rm(file);
}

function textOf(secret: Buffer): string {
  return JSON.stringify(secret.toString("base64url"));
}
