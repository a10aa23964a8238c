import type { ExtractionOptions, Table } from "@uwdata/flechette";
import { openDownload } from "./result/download.ts";
import type { QueryResult, SourcedResult } from "./result/query-result.ts";
import type { DetectingClient } from "./wire/client.ts";
import { type DeadlineOptions, withDeadline } from "./wire/deadline.ts";
import { QuernError } from "./wire/quern-error.ts";

/** Signal and time limit, and the options of `tableFromIPC` of `@uwdata/flechette`, such as `useDate` and `useBigInt`. */
export interface ArrowOptions extends DeadlineOptions, ExtractionOptions {}

/** Pause before a further request to a service that has too many downloads, in milliseconds. */
const busyPauseMs = 5_000;

/**
 * Downloads a whole result as Apache Arrow and returns it as a table of columns, in memory. Needs the package
 * `@uwdata/flechette`. A column has the Arrow type of its SQL type, so its values differ from those of the rows: a
 * timestamp is a number of milliseconds, and reading an integer beyond 2^53 - 1 throws unless `useBigInt` is true. The names
 * of the columns are those of `rowKeysOf`.
 * @example const prices = (await arrowOf(await query(client, { sql }))).getChild("price").toArray();
 * @throws {QuernError} of any kind but `failed` and `canceled`: `http` with the `status` if the link does not return the
 * file (403: it has expired; 503: too many downloads for `timeoutMs` of the client), `network` if the download is cut.
 * @throws {TypeError} if `@uwdata/flechette` is missing, or the result has filters or an order.
 */
export async function arrowOf(
  result: QueryResult,
  { signal, timeoutMs, ...extraction }: ArrowOptions = {},
): Promise<Table> {
  const { queryRunId, rowCount, source } = result as SourcedResult;
  if (!source) throw new TypeError("Invalid result: it has filters or sortBy; run them as SQL, or read rowsOf(result)");
  const { tableFromIPC } = await import("@uwdata/flechette").catch((cause: unknown) => {
    throw new TypeError("Missing package of arrowOf: @uwdata/flechette; run npm install @uwdata/flechette", { cause });
  });
  const bytes = await withDeadline(
    { signal, timeoutMs },
    (signal) => downloadedBytes(source as DetectingClient, queryRunId, signal), // made by `createClient`
  );
  let cause: unknown;
  try {
    const table = tableFromIPC(bytes, extraction);
    if (rowCount === null || table.numRows === rowCount) return table;
    cause = new Error(`${table.numRows} of ${rowCount} rows`);
  } catch (error) {
    cause = error; // the last message is not complete
  }
  throw new QuernError("network", `download interrupted: ${(cause as Error).message}`, { queryRunId, cause });
}

async function downloadedBytes(client: DetectingClient, queryRunId: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const { read, close } = await openWhenFree(client, queryRunId, signal);
  try {
    const chunks: BlobPart[] = [];
    // The memory of a response is not shared.
    for (let chunk = await read(); chunk; chunk = await read()) chunks.push(chunk as Uint8Array<ArrayBuffer>);
    return await new Blob(chunks).arrayBuffer();
  } finally {
    close();
  }
}

/** Opens the download, again while the service has too many of them. */
async function openWhenFree(client: DetectingClient, queryRunId: string, signal: AbortSignal) {
  const endMs = performance.now() + client.timeoutMs - busyPauseMs;
  for (;;) {
    try {
      return await openDownload(client, queryRunId, "arrow", signal);
    } catch (error) {
      if ((error as QuernError).status !== 503 || performance.now() > endMs) throw error;
      await client.sleep(busyPauseMs, signal);
    }
  }
}
