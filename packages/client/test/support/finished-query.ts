import { createClient, type PageOptions, query } from "../../src/index.ts";
import { startServer } from "./scripted-server.ts";
import { type ServiceOptions, service } from "./scripted-service.ts";

/** Runs a query to its end on a scripted service. */
export async function finishedQuery(options: ServiceOptions, request: PageOptions = {}) {
  const server = await startServer(service({ polls: 0, ...options }));
  const client = createClient({ url: server.url, apiKey: "k" });
  const result = await query(client, { sql: "a", ...request });
  const pages = () => server.exchanges.flatMap(({ calls }) => calls.flatMap(({ params }) => params[0].page ?? []));
  return { result, pages, exchanges: server.exchanges, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => [index]);
