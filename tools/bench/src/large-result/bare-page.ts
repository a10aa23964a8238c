import { DuckDBBlobValue } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { createPageEngine } from "../../../../packages/duckdb/src/reader/page-engine.ts";
import { textQuery } from "../../../../packages/duckdb/src/reader/page-query.ts";
import { rowPlan } from "../../../../packages/duckdb/src/reader/row-plan.ts";

/** Returns the rows of a page as JSON without the outer brackets, in UTF-8. */
export type PageText = (offset: number, rowCount: number) => Promise<Uint8Array>;

/**
 * Opens an engine in this process that writes pages of a file with the engine and the statement of the service. It is the minimum for
 * the service, which adds a request over HTTP, a process and the estimate of the size.
 */
export async function barePages(file: string, columns: readonly ResultColumn[]): Promise<PageText> {
  const { connection } = await createPageEngine({ spillMegabytes: 100 }).acquire();
  const form = { columns, format: "csv", rowIndex: false } as const;
  const view = { conditions: [], sortKeys: [], page: { number: 1, size: 0 } };
  const task = {
    ...form,
    ...view,
    result: "",
    files: [{ path: file, firstRow: 0 }],
    rowCount: 0,
    maxBytes: 0,
    members: "",
  };
  const { text = "" } = rowPlan(task);
  return async (offset, rowCount) => {
    const query = textQuery(task, text, offset, rowCount);
    const reader = await connection.runAndReadAll(query.text, query.values, query.types);
    const rows = reader.getRows()[0]?.[1];
    if (!(rows instanceof DuckDBBlobValue)) throw new Error("the engine wrote no text");
    return rows.bytes;
  };
}
