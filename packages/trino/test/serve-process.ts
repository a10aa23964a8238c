// A server with a source on Trino in a process of its own, for tests that kill it: prints its address, runs until its end.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createServer, type ServerOptions } from "@quern/server";
import { createSourceKind } from "@quern/trino";
import { createPostgresStore } from "../../postgres/src/store/store.ts";
import { createResultStore } from "../../server/src/results/result-store.ts";
import { withoutSecrets } from "./fixture.ts";

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const address = process.env.QUERN_TEST_TRINO ?? "";
const sources = [
  {
    name: "lake",
    provider: "trino",
    kind: "trino",
    oldNames: false,
    runAs: "user",
    tenant: "tenant_first",
    address,
  } as const,
];

/** Returns the options of one of several servers on a database, whose runs have no results. */
async function shared(url: string): Promise<Partial<ServerOptions>> {
  await mkdir(dataDir, { recursive: true });
  const results = await createResultStore(join(dataDir, "results"));
  return { store: await createPostgresStore({ url, reclaimDelayMs: 1_000 }), results, leaseSeconds: 3 };
}

const url = process.env.QUERN_TEST_STORE;
const server = await createServer({
  dataDir,
  apiKey,
  sources,
  sourceKinds: { trino: createSourceKind(withoutSecrets) },
  ...(url === undefined ? {} : await shared(url)),
});
console.log((await server.listen()).url);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
