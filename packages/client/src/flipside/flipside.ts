import { createClient } from "../wire/client.ts";
import { createQueryIntegration, type QueryIntegration } from "./query-integration.ts";

/**
 * The class of `@flipsidecrypto/sdk` over this client, so that a program moves by changing one import. New programs
 * use `createClient` and `query`, which can do more.
 * @example const { rows } = await new Flipside(apiKey, url).query.run({ sql: "select 1 as n" });
 */
export class Flipside {
  readonly query: QueryIntegration;

  /**
   * @param apiBaseUrl Base address of the service. It has no default, since the service that had one is closed; its type
   * has `undefined` for variables of the environment.
   * @throws {TypeError} where it is no URL or `apiKey` is empty.
   */
  constructor(apiKey: string, apiBaseUrl: string | undefined) {
    if (!apiBaseUrl) throw new TypeError(`Invalid apiBaseUrl: ${apiBaseUrl}; give the address of a service`);
    this.query = createQueryIntegration(createClient({ url: apiBaseUrl, apiKey }));
  }
}
