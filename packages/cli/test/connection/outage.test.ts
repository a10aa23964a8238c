import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it, vi } from "vitest";
import { quern } from "../quern.ts";

afterEach(() => void vi.restoreAllMocks());

it("polls through an outage for 60 s, however many polls fail, and names the run then", async () => {
  // Waits between attempts are random from zero; here they are zero.
  vi.spyOn(Math, "random").mockReturnValue(0);
  const now = performance.now.bind(performance);
  let passedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
  let polls = 0;
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request));
    const queryRun = { id: "run_1", state: "QUERY_STATE_RUNNING" };
    if (method === "createQueryRun") {
      const result = { queryRequest: { id: "req_1", queryRunId: "run_1" }, queryRun };
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    }
    polls += 1;
    // Each poll makes five attempts: the sixth poll has failed by now.
    if (polls === 31) passedMs += 60_000;
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a pipe.
  const { status, stderr } = await quern(["query", "select 1"], {
    QUERN_URL: `http://127.0.0.1:${port}`,
    QUERN_API_KEY: "k",
  });
  await new Promise((resolve) => server.close(resolve));
  expect(status).toBe(7);
  expect(stderr).toMatch(/failing for 60000 ms; `quern result run_1` prints/);
  expect(polls).toBeGreaterThan(30);
});
