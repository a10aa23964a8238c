import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharedTrino } from "../../../packages/trino/test/engine/trino.ts";
import { samples } from "../../../packages/trino/test/samples.ts";
import { API_KEY, cli, startCommand } from "../../repo-rules/src/service.ts";
import { commonStatements, type Subject } from "./subject.ts";

/** Starts Trino, and `quern serve` whose default source is its catalog `tpch`. */
export async function startTrinoService(): Promise<Subject> {
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "quern-trino-clients-"));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  const trino = started.use(await sharedTrino());
  const address = trino.address("reader", "tpch/tiny");
  const env = { QUERN_SOURCES: JSON.stringify([{ name: "lake", provider: "quern", kind: "trino", address }]) };
  const serve = [cli, "serve", "--data-dir", dataDir];
  const service = await startCommand(process.execPath, serve, { env });
  started.defer(() => service.stop());
  const running = started.move();
  return {
    url: service.url,
    apiKey: API_KEY,
    ...commonStatements,
    large: { sql: "select custkey from tpch.sf1.customer", rowCount: 150_000 },
    failing: {
      sql: "select colour from (select 1 as color)",
      errorName: "ColumnNotFound",
      errorMessage: /Column 'colour' cannot be resolved/,
    },
    endless: { sql: samples.endless },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
