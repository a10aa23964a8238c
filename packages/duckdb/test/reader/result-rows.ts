import { randomUUID } from "node:crypto";
import type { WrittenResult } from "@quern/adapter";
import type { ResultReader } from "../../src/reader/reader.ts";

/** Reads the rows of a stored result as a page of the service shows them. */
export async function resultRows(
  reader: ResultReader,
  { path, columns, rowCount }: Omit<WrittenResult, "release">,
): Promise<readonly (readonly unknown[])[]> {
  const view = { conditions: [], sortKeys: [], page: { number: 1, size: 1_000 } };
  const form = { format: "csv", rowIndex: false, maxBytes: 10_000_000 } as const;
  const answer = await reader.page(
    "tenant",
    { result: randomUUID(), paths: [path], columns, rowCount, ...view, ...form },
    AbortSignal.timeout(60_000),
  );
  if (!("rows" in answer)) throw new Error("the page is too large");
  return JSON.parse(Buffer.from(answer.rows).toString());
}
