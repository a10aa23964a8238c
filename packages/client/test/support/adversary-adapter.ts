import type { ConnectClient } from "@quern/conformance/client";
import * as quern from "../../src/index.ts";

const methods = [quern.createQueryRun, quern.getQueryRun, quern.getQueryRunResults, quern.cancelQueryRun];

/** Adapter of this client for the adversary. */
export function connectWith(options: Partial<quern.ClientOptions> = {}): ConnectClient {
  return (service) => {
    const client = quern.createClient({ retries: 1, ...options, ...service });
    return {
      async call(name, params, limits) {
        // A case may ask for any method with any parameters.
        const method = methods.find(({ descriptor }) => descriptor.name === name) as unknown as AnyMethod;
        return method(client, params, limits);
      },
      async query(sql, { pageSize, timeoutMs, signal }) {
        const result = await quern.query(client, { sql, pageSize }, { timeoutMs, signal });
        return Array.fromAsync(quern.rowsOf(result, { timeoutMs, signal }), (row) => Object.values(row));
      },
      endingOf(error) {
        if (!(error instanceof quern.QuernError)) return `an error not ours: ${error}`;
        return [error.kind, error.code ?? error.status ?? []].flat().join(" ");
      },
    };
  };
}

type AnyMethod = (client: quern.Client, params: object, options: quern.CallOptions) => Promise<unknown>;
