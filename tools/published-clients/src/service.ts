import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type ServerLimits } from "@quern/server";
import { commonStatements, type Subject } from "./subject.ts";

const largeRowCount = 100_001;

/** Starts the service on a new data directory. @param load Loads tables into the data directory. */
export async function startService(
  limits: ServerLimits = {},
  load?: (dataDir: string) => Promise<void>,
): Promise<Subject> {
  const dataDir = await mkdtemp(join(tmpdir(), "quern-published-clients-"));
  const apiKey = "qk_published_clients_0123456789";
  await load?.(dataDir);
  const server = await createServer({ dataDir, apiKey, limits });
  const { url } = await server.listen();
  return {
    url,
    apiKey,
    ...commonStatements,
    large: { sql: `select range as n from range(${largeRowCount})`, rowCount: largeRowCount },
    failing: { sql: "select colour from (select 1 as color)", errorName: "BinderError", errorMessage: /colour/ },
    endless: { sql: "select count(*) from range(1000000000) a, range(1000000000) b" },
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
