/** So many callers for so long, each with one call after the other. */
export interface Round {
  readonly callers: number;
  readonly ms: number;
}

/** The server, as the process was told. */
export const url = process.argv[2] ?? "";
export const endpoint = `${url}/json-rpc`;
export const params = { queryRunId: "run" };
export const apiKey = "any text";
export const post = {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": apiKey },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getQueryRun", params: [params] }),
} as const;

/** Answers each round that the process is told with its calls a second. */
export function playRounds(call: () => Promise<unknown>): void {
  process.on("message", async ({ callers, ms }: Round) => {
    const start = performance.now();
    let done = 0;
    const caller = async () => {
      for (; performance.now() - start < ms; done += 1) await call();
    };
    await Promise.all(Array.from({ length: callers }, caller));
    process.send?.((done / (performance.now() - start)) * 1_000);
  });
}
