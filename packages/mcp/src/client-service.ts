import { type Client, QuernError } from "@quern/client";
import { CallFailure, type Service } from "./service.ts";

/** Service of a client, and a function that waits until no call is in progress. */
export interface ClientService {
  readonly service: Service;
  readonly settled: () => Promise<void>;
}

/** Calls a service with the client of a caller. */
export function clientService(client: Client): ClientService {
  const calls = new Set<Promise<unknown>>();
  return {
    service: {
      async call(method, params, signal) {
        const { wait = "" } = method;
        const longPoll = Boolean(Object(params)[wait]);
        const call = client.call(method, params, { signal, longPoll, unbatched: true, once: false });
        const settled = call.catch(() => undefined).finally(() => calls.delete(settled));
        calls.add(settled);
        return call.catch((error: unknown) => {
          throw error instanceof QuernError ? failureOf(error) : error;
        });
      },
    },
    async settled() {
      // An aborted call is followed by the withdrawal of its request.
      do {
        await Promise.allSettled([...calls]);
        await new Promise((resolve) => setImmediate(resolve));
      } while (calls.size > 0);
    },
  };
}

function failureOf({ kind, message, data, errorName }: QuernError): CallFailure {
  // The client adds the name of the method, and the name and the code of the error; MCP reserves some of these codes.
  const text = message.replace(/^\w+: /, "").replace(/ \(\w+ -?\d+\)$/, "");
  return new CallFailure(text, { name: errorName ?? names[kind] ?? "ServiceError", data });
}

/** Names of errors that are no answers of the service. */
const names: Readonly<Partial<Record<QuernError["kind"], string>>> = {
  network: "ServiceUnreachable",
  timeout: "ServiceTimeout",
};
