import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { SettingStore } from "@quern/adapter";
import type { DownloadFormat } from "@quern/query-run/download-format";
import type { Instant } from "@quern/query-run/record";
import type { KnownCaller } from "../identity/principal.ts";

/** Longest time for which a link is valid. */
export const maxLinkMs = 15 * 60_000;

/** Download that a link allows. */
export interface LinkedDownload {
  /** Id of a link for one download. Undefined for a link that works until it expires. */
  readonly id?: string;
  readonly runId: string;
  readonly format: DownloadFormat;
  /** Name of the file. @default the id of the run */
  readonly fileName?: string;
  /** Id of the filters and the order in the store of links. @default all rows in their order */
  readonly view?: string;
  readonly expiresAt: Instant;
  /** Caller who requested the link. The bytes of the download count as theirs. */
  readonly reader: KnownCaller;
}

/**
 * Signs links. A token contains its download, so that the service stores only the ids of used single-use links, and the
 * filters and orders of links: they can be long, and must not be in the logs of proxies.
 */
export interface LinkSigner<Link = LinkedDownload> {
  token(link: Link): Promise<string>;
  /** Returns undefined for a token that this service did not sign, or that has expired. */
  read(token: string, now: Instant): Promise<Link | undefined>;
}

/**
 * @param secret called for each token, so that a new secret applies at once
 * @param purpose what the links are for: a link for one purpose is invalid for another
 */
export function createLinkSigner<Link extends { readonly expiresAt: Instant } = LinkedDownload>(
  secret: () => Promise<Uint8Array>,
  purpose: "download" | "upload" = "download",
): LinkSigner<Link> {
  const signature = async (text: string): Promise<Buffer> =>
    createHmac("sha256", await secret())
      .update(`${purpose}:${text}`)
      .digest();
  return {
    async token(link) {
      const text = Buffer.from(JSON.stringify(link)).toString("base64url");
      return `${text}.${(await signature(text)).toString("base64url")}`;
    },
    async read(token, now) {
      const [text = "", signed = "", ...rest] = token.split(".");
      const expected = await signature(text);
      const received = Buffer.from(signed, "base64url");
      const isSigned = rest.length === 0 && received.length === expected.length && timingSafeEqual(received, expected);
      if (!isSigned) return undefined;
      // The signature proves that the method `token` made the text.
      const link = JSON.parse(Buffer.from(text, "base64url").toString()) as Link;
      return now < link.expiresAt ? link : undefined;
    },
  };
}

const settingName = "linkSecret";
const secretBytes = 32;

/** Returns the secret that signs links. All servers on a store share it, and it survives a restart. */
export async function linkSecret(settings: SettingStore): Promise<Uint8Array> {
  const text = await settings.getOrCreate(settingName, textOf(randomBytes(secretBytes)));
  return Buffer.from(JSON.parse(text), "base64url"); // written by this module only
}

/** Replaces the secret, which invalidates all links of all servers on the store at once. */
export function revokeLinks(settings: SettingStore): Promise<void> {
  return settings.set(settingName, textOf(randomBytes(secretBytes)));
}

function textOf(secret: Buffer): string {
  return JSON.stringify(secret.toString("base64url"));
}
