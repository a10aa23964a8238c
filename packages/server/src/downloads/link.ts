import { createHmac, timingSafeEqual } from "node:crypto";
import type { DownloadFormat } from "@quern/duckdb";
import type { Instant } from "@quern/query-run/record";
import type { KnownCaller } from "../identity/principal.ts";

/** How long a link works at most. */
export const maxLinkMs = 15 * 60_000;

/** What a link gives to whoever has it. */
export interface LinkedDownload {
  readonly runId: string;
  readonly format: DownloadFormat;
  readonly expiresAt: Instant;
  /** Who asked for the link: what is read by it is read by them. */
  readonly reader: KnownCaller;
}

/** Signs links, so that nothing of them has to be kept. */
export interface LinkSigner {
  token(download: LinkedDownload): Promise<string>;
  /** Undefined for what this service did not sign, and for what is over. */
  read(token: string, now: Instant): Promise<LinkedDownload | undefined>;
}

/** @param secret called for each link, so that another secret ends all links at once */
export function createLinkSigner(secret: () => Promise<Uint8Array>): LinkSigner {
  const signature = async (text: string): Promise<Buffer> =>
    createHmac("sha256", await secret())
      .update(text)
      .digest();
  return {
    async token(download) {
      const text = Buffer.from(JSON.stringify(download)).toString("base64url");
      return `${text}.${(await signature(text)).toString("base64url")}`;
    },
    async read(token, now) {
      const [text = "", signed = "", ...rest] = token.split(".");
      const expected = await signature(text);
      const given = Buffer.from(signed, "base64url");
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      // Signed by this service, so that it is what `token` wrote.
      const download = JSON.parse(Buffer.from(text, "base64url").toString()) as LinkedDownload;
      return now < download.expiresAt ? download : undefined;
    },
  };
}
