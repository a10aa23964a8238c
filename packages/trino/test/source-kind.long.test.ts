import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { createResultReader, createResultWriter } from "@quern/duckdb";
import { createSourceKind } from "@quern/trino";
import { afterAll, beforeAll, describe, it } from "vitest";
import { resultRows } from "../../duckdb/test/reader/result-rows.ts";
import { type RestartableTrino, startRestartableTrino } from "./engine/restartable.ts";
import { missingProgram } from "./engine/trino.ts";
import { sourceAt, withoutSecrets } from "./fixture.ts";
import { contractOf, createTables } from "./samples.ts";

const reason = missingProgram();

if (reason !== undefined)
  it.skip(`Trino does not run here: ${reason}`); // as its name says
else
  describe("a source on Trino", () => {
    let trino: RestartableTrino;
    let directory: string;
    let close: () => Promise<unknown>;
    const context: Record<string, SourceKindContext> = {};
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "trino-results-"));
      trino = await startRestartableTrino({ directSegments: true });
      const options = { workDirectory: directory, spillMegabytes: 100 };
      const writer = createResultWriter(options);
      const pages = { filteredPageTimeoutSeconds: 60, maxCopyBytes: 1e9, hasSpace: async () => true };
      const reader = createResultReader({ ...options, ...pages });
      const kind = createSourceKind(withoutSecrets);
      close = () => Promise.all([kind.close(), writer.close(), reader.close()]);
      await createTables(trino.http);
      const read: SourceKindContext["read"] = (written) => resultRows(reader, written);
      const contract = contractOf(trino.version);
      const start = () => trino.start().then(() => createTables(trino.http));
      for (const [form, spooling] of Object.entries({ spooled: "true", direct: "false" })) {
        const source = sourceAt(trino.address("reader", "memory/contract", { catalogs: "tpch", spooling }));
        // The storage of spooled results has another address after a restart.
        const restart = form === "direct" ? { restart: { stop: trino.kill, start } } : {};
        context[form] = { kind, source, writer, read, ...contract, ...restart };
      }
    });
    afterAll(async () => {
      await close?.();
      await trino?.[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    });

    it.each(sourceKindContract)("with spooled results: $name", async ({ run }) => {
      if (context.spooled !== undefined) await run(context.spooled);
    });

    // Other cases do not depend on the way of the rows.
    const ofRows = sourceKindContract.filter(({ name }) => /^(?:delivers|keeps|fails|loses) /.test(name));
    it.each(ofRows)("with results in pages: $name", async ({ run }) => {
      if (context.direct !== undefined) await run(context.direct);
    });
  });
