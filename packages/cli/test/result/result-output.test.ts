import { createClient, type QueryResult } from "@quern/client";
import { describe, expect, it, vi } from "vitest";
import { resultOutput } from "../../src/result/result-output.ts";

const error = { code: -32_153, message: "no such format", data: {} };
const fetch = vi.fn(async (_: unknown, init?: RequestInit) => {
  const { id } = JSON.parse(String(init?.body));
  return Response.json({ jsonrpc: "2.0", id, error });
});
const client = createClient({ url: "http://127.0.0.1:1", apiKey: "key", fetch });
const { signal } = new AbortController();

/** Result with these rows in one page. */
function resultOf(rows: readonly (readonly unknown[])[], rowCount: number | null = null) {
  const pages = vi.fn(async function* () {
    yield { rows };
  });
  const columns = { columnNames: ["Origin", "cars"], columnTypes: ["string", "number"] };
  const result = { queryRunId: "run_1", ...columns, rowCount, first: { ...columns, rows }, pages };
  return { pages, result: result as unknown as QueryResult };
}

describe("a table", () => {
  it("has the pages of the result, which end with the signal", async () => {
    const { pages, result } = resultOf([["USA", 254]]);
    const { pieces } = await resultOutput(client, result, "table", {}, signal);
    expect((await Array.fromAsync(pieces)).join("")).toBe("Origin  cars\n──────  ────\nUSA      254\n");
    expect(pages.mock.calls).toEqual([[{ signal }]]);
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each([
    [[["USA", 1]], null, undefined, "1 row in 0.5 s"],
    [[], null, undefined, "0 rows in 0.5 s"],
    [[["USA", 1]], 1_234, undefined, "1,234 rows in 0.5 s"],
    [[["USA", 1]], 1, 6, "1 row in 0.5 s, 1 of 2 columns; --full prints all"],
  ])("of the rows %j of %j on a terminal of %j columns has a summary", async (rows, rowCount, width, text) => {
    const { pieces, summary } = await resultOutput(
      client,
      resultOf(rows, rowCount).result,
      "table",
      { terminalWidth: width },
      signal,
    );
    await Array.fromAsync(pieces);
    expect(summary?.(500)).toBe(text);
  });
});

it.each(["parquet", "arrow", "arrows"] as const)("a result as %s that has no download is an error", async (format) => {
  await expect(resultOutput(client, { queryRunId: "run_1" }, format, {}, signal)).rejects.toMatchObject({
    code: -32_153,
    method: "getQueryRunDownload",
  });
});

it.each(["csv", "table"] as const)("a result as %s that is read in pages ends with the signal", async (format) => {
  const asked = Promise.withResolvers<void>();
  const slow = createClient({
    url: "http://127.0.0.1:1",
    apiKey: "key",
    timeoutMs: 5_000,
    outageTimeoutMs: 5_000,
    fetch: async (_, init) => {
      const { id, method } = JSON.parse(String(init?.body));
      if (method === "getQueryRunDownload") return Response.json({ jsonrpc: "2.0", id, error });
      asked.resolve();
      return await new Promise(() => {});
    },
  });
  const caller = new AbortController();
  const output = resultOutput(slow, { queryRunId: "run_1" }, format, {}, caller.signal);
  const stopped = expect(output).rejects.toThrow("getQueryRun: aborted");
  await asked.promise;
  caller.abort();
  await stopped;
});
