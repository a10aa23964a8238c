import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SourceKindContext, sourceKindContract } from "@quern/adapter/contract";
import { createSourceKind } from "@quern/clickhouse";
import { createResultReader, createResultWriter } from "@quern/duckdb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultRows } from "../../duckdb/test/reader/result-rows.ts";
import { never, sourceAt, statementOn, withoutSecrets } from "./fixture.ts";
import { samples, tables } from "./samples.ts";
import { type StandIn, startStandIn } from "./server.ts";

/**
 * The values are answers of ClickHouse 26.9, which `recorded/record.py` has recorded. The endless statement, its end, and
 * the many rows are only those of the stand-in.
 */
describe("a source on a stand-in for ClickHouse", () => {
  let server: StandIn;
  let directory: string;
  let close: () => Promise<unknown>;
  let context: SourceKindContext;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "clickhouse-results-"));
    server = await startStandIn();
    const options = { workDirectory: directory, spillMegabytes: 100 };
    const writer = createResultWriter(options);
    const pages = { filteredPageTimeoutSeconds: 60, maxCopyBytes: 1e9, hasSpace: async () => true };
    const reader = createResultReader({ ...options, ...pages });
    const kind = createSourceKind(withoutSecrets);
    close = () => Promise.all([kind.close(), writer.close(), reader.close()]);
    const source = sourceAt(`clickhouse://reader@${server.host}/shop`);
    const read: SourceKindContext["read"] = (written) => resultRows(reader, written);
    context = { kind, source, writer, read, tables, ...samples };
  });
  afterAll(async () => {
    await close?.();
    await server?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  it.each(sourceKindContract)("$name", async ({ run }) => {
    await run(context);
  });

  it("fails a string that is not UTF-8, and does not replace its bytes", async () => {
    const { kind, source, writer } = context;
    const execution = await kind.begin(statementOn(source, "SELECT unhex('ff00') AS x"), never);
    const result = await execution.result();
    if (result.form === "parquet") throw new Error("expected encoded rows");
    const written = writer.write(result, { maxResultBytes: 1e9, maxResultRows: 1e9 }, never);
    await expect(written).rejects.toMatchObject({ failure: { name: "InvalidValue" } });
    await execution.release();
  });
});
