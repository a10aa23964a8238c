interface Segment {
  readonly type: "inline" | "spooled";
  readonly uri?: string;
  readonly ackUri?: string;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly metadata: { readonly rowsCount: number; readonly segmentSize: number };
}

interface Page {
  readonly nextUri?: string;
  readonly data?: { readonly segments: readonly Segment[] };
  readonly error?: { readonly message: string };
}

/** Sums over the segments of a result. */
export interface Fetched {
  readonly rows: number;
  readonly segments: number;
  readonly bytes: number;
}

/**
 * Fetches the segments of a statement and discards their bytes: the minimum of a client that reads all of a result.
 * @param origin Address of the coordinator, such as `http://127.0.0.1:8080`
 * @param acceptEncoding Compression of the responses. By default that of `fetch`, for which Trino compresses segments again.
 */
export async function rawFetch(origin: string, sql: string, acceptEncoding?: "identity"): Promise<Fetched> {
  const accepted = acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding };
  const headers = { "x-trino-user": "bench", "x-trino-query-data-encoding": "json+zstd", ...accepted };
  const sum = { rows: 0, segments: 0, bytes: 0 };
  let page = await pageOf(fetch(`${origin}/v1/statement`, { method: "POST", body: sql, headers }));
  for (;;) {
    for (const segment of page.data?.segments ?? []) {
      sum.rows += segment.metadata.rowsCount;
      sum.bytes += segment.metadata.segmentSize;
      sum.segments += 1;
      await take(segment, accepted);
    }
    if (page.nextUri === undefined) return sum;
    page = await pageOf(fetch(page.nextUri, { headers }));
  }
}

async function take({ uri, ackUri, headers = {} }: Segment, accepted: Readonly<Record<string, string>>): Promise<void> {
  if (uri === undefined || ackUri === undefined) return; // an inline segment
  const own = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(",")]));
  for (const url of [uri, ackUri]) {
    const response = await fetch(url, { headers: { ...accepted, ...own } });
    if (!response.ok) throw new Error(`Trino answered with the HTTP status ${response.status}`);
    await response.arrayBuffer();
  }
}

async function pageOf(response: Promise<Response>): Promise<Page> {
  const page: Page = await (await response).json();
  if (page.error !== undefined) throw new Error(page.error.message);
  return page;
}
