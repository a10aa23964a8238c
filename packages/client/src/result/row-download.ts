import type { DetectingClient } from "../wire/client.ts";
import type { QuernError } from "../wire/quern-error.ts";
import { openDownload } from "./download.ts";
import type { SourcedResult } from "./query-result.ts";
import type { ResultPage } from "./result-pages.ts";
import { keysOfPage, type UntypedRow } from "./row.ts";

/** Smallest number of rows for which a download takes less time than the pages. */
const minRows = 100_000;

/**
 * Returns an iterator over all rows in pages: those of the service, or, for a large result, pages whose rows are read
 * from its download as JSON Lines. The rows of such a page are arrays or objects. If the download fails or is cut, pages of
 * the service follow from that row on.
 */
export function rowPagesOf(
  result: Pick<SourcedResult, "queryRunId" | "first" | "pages" | "source">,
  signal: AbortSignal,
): AsyncIterator<ResultPage, void, undefined> {
  const { first, pages } = result;
  const client = result.source as DetectingClient | undefined; // made by `createClient`
  return client && client.server.downloads !== false && first.rowCount && first.rowCount >= minRows
    ? downloadedPages(client, result, signal)
    : pages({ signal });
}

async function* downloadedPages(
  client: DetectingClient,
  { queryRunId, first, pages }: Pick<SourcedResult, "queryRunId" | "first" | "pages">,
  signal: AbortSignal,
): AsyncGenerator<ResultPage, void, undefined> {
  let page = first;
  yield page;
  const keys = keysOfPage(first);
  const lineKeys = keys.map((key) => key.toLowerCase());
  const isSame = String(keys) === String(lineKeys);
  const next = () => page.offset + page.rows.length;
  /** Number of rows to skip: those of the first page. */
  let skipped = next();
  try {
    for await (const objects of rowBlocks(client, queryRunId, signal)) {
      const rest = objects.slice(skipped);
      skipped -= objects.length - rest.length;
      const rows = isSame ? rest : rest.map((row) => lineKeys.map((key) => row[key]));
      if (!rows.length) continue;
      page = { ...first, offset: next(), rows };
      yield page;
    }
  } catch (error) {
    const { kind, status = 0 } = error as QuernError;
    // The service does not know downloads, or does not offer them to this client. A fault may pass.
    if (kind === "undeclared" || (kind === "http" && status < 500)) client.server.downloads = false;
  }
  if (next() >= Number(first.rowCount)) return;
  const others = pages({ signal }, page);
  await others.next();
  yield* others;
}

/** Reads the rows of a result as objects, in blocks. */
async function* rowBlocks(
  client: DetectingClient,
  queryRunId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly UntypedRow[], void, undefined> {
  const { read, close } = await openDownload(client, queryRunId, "ndjson", signal);
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let bytes = await read(); bytes; bytes = await read()) {
      const text = decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf("\n");
      if (end < 0) rest += text;
      else {
        const lines = rest + text.slice(0, end);
        rest = text.slice(end + 1);
        // Unlike pages, needs no search for integers beyond 2^53 - 1: all services with downloads write them as strings.
        yield JSON.parse(`[${lines.replaceAll("\n", ",")}]`);
      }
    }
  } finally {
    close();
  }
}
