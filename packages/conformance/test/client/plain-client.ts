import type { ClientUnderTest, Limits, Service } from "../../src/client/index.ts";

/** Client of a few lines of `fetch`: no batches, no retries, no checks of the response. */
export function plainClient({ url, apiKey }: Service): ClientUnderTest {
  async function call(method: string, params: object, { timeoutMs, signal }: Limits): Promise<unknown> {
    const response = await fetch(`${url}/json-rpc`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (!response.ok) throw new Error(`http ${response.status}`);
    const { result } = (await response.json()) as { result: unknown }; // It checks nothing.
    return result;
  }
  return {
    call,
    async query(sql, limits) {
      const { queryRequest } = (await call("createQueryRun", { sql }, limits)) as Created;
      const page = { number: 1, size: 100 };
      const reply = await call("getQueryRunResults", { ...queryRequest, format: "csv", page }, limits);
      return (reply as { rows: unknown[] }).rows;
    },
    endingOf: (error) => (error instanceof Error && error.message.startsWith("http") ? error.message : "network"),
  };
}

interface Created {
  readonly queryRequest: { readonly queryRunId: string };
}
