import { createClient } from "../wire/client.ts";
import { createQueryIntegration, type QueryIntegration } from "./query-integration.ts";

/**
 * Replacement for the class of `@flipsidecrypto/sdk`: a program migrates by changing one import. Use `createClient` and `query` in new
 * programs.
 * @example const { rows } = await new Flipside(apiKey, url).query.run({ sql: "select 1 as n" });
 */
export class Flipside {
  readonly query: QueryIntegration;

  /**
   * @param apiBaseUrl Base address of the service. It has no default, because the old service is closed. Its type
   * includes `undefined`, so that environment variables can be passed.
   * @throws {TypeError} if `apiBaseUrl` is missing or not an http(s) URL, or `apiKey` is empty.
   */
  constructor(apiKey: string, apiBaseUrl: string | undefined) {
    if (!apiBaseUrl) throw new TypeError(`Invalid apiBaseUrl: ${apiBaseUrl}; pass the address of a service`);
    this.query = createQueryIntegration(createClient({ url: apiBaseUrl, apiKey }));
  }
}
