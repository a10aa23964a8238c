/** What a reader is told. */
export interface Result {
  readonly url: string;
  readonly apiKey: string;
  readonly queryRunId: string;
  readonly pageSize: number;
}

/** Rows read in their order, and what that took. */
export interface Reading {
  readonly rows: number;
  readonly seconds: number;
  readonly megabytes: number;
}

/** Runs a reader on the result that the process was told of, and prints its reading. */
export async function printReading(read: (result: Result) => Promise<number>): Promise<void> {
  const [url = "", apiKey = "", queryRunId = "", size] = process.argv.slice(2);
  const start = performance.now();
  const rows = await read({ url, apiKey, queryRunId, pageSize: Number(size) });
  const seconds = (performance.now() - start) / 1_000;
  const reading: Reading = { rows, seconds, megabytes: process.resourceUsage().maxRSS / 1024 };
  console.log(JSON.stringify(reading));
}
