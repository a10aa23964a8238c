import { type Client, createClient } from "@quern/client";
import type { Credential } from "./credential-store.ts";

/** Address of the service: the folder above the page, which may be below the path prefix of a proxy. */
export const serviceUrl = (): string => new URL("..", document.baseURI).href.replace(/\/$/, "");

export function clientOf({ kind, value, scope }: Credential): Client {
  return createClient({
    url: serviceUrl(),
    cacheScope: scope,
    ...(kind === "token" ? { token: value } : { apiKey: value }),
  });
}
