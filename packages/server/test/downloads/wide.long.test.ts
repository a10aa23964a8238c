import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

it("writes results with 1, 500 and 2,000 columns in every format", async () => {
  for (const count of [1, 500, 2_000]) {
    const columns = Array.from({ length: count }, (_, index) => `${index} AS "c${index}"`);
    const run = await server.run(`SELECT ${columns.join(", ")} FROM range(2)`);
    const last = String(count - 1);
    for (const format of ["csv", "ndjson", "parquet", "arrow"]) {
      const { url } = await server.call<{ url: string }>("getQueryRunDownload", { queryRunId: run.id, format });
      const response = await fetch(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect({ count, format, status: response.status }).toEqual({ count, format, status: 200 });
      if (format === "csv" || format === "ndjson") {
        const lines = bytes.toString().trimEnd().split("\n").slice(-2);
        const read = lines.map((line) =>
          format === "csv" ? line.split(",").map(Number) : Object.values(JSON.parse(line)),
        );
        expect(read).toEqual(Array.from({ length: 2 }, () => columns.map((_, index) => index)));
      } else expect(bytes.includes(format === "parquet" ? "PAR1" : `c${last}`)).toBe(true);
    }
    for (const format of ["csv", "json"] as const) {
      const { rows } = await server.results({ queryRunId: run.id, format });
      expect(rows?.map((row) => Object.values(row as object).length)).toEqual([count, count]);
    }
  }
});
