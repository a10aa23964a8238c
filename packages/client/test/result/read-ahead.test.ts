import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createClient, resumeQuery, rowsOf } from "../../src/index.ts";

it("sends the request of the next page before it returns the rows of this one, also if the caller blocks the event loop", async () => {
  const asked = new Int32Array(new SharedArrayBuffer(4));
  const server = new Worker(new URL("../support/counting-server.ts", import.meta.url), { workerData: asked });
  try {
    const [port] = await once(server, "message");
    const client = createClient({ url: `http://127.0.0.1:${port}`, apiKey: "k" });
    const result = await resumeQuery(client, "a", { pageSize: 10 });
    let rows = 0;
    let askedEarly = 0;
    for await (const _row of rowsOf(result)) {
      rows += 1;
      // Blocks this thread, so that requests in its queue cannot be sent.
      if (rows === 1 && Atomics.load(asked, 0) === 1) Atomics.wait(asked, 0, 1, 5000);
      if (rows === 1) askedEarly = Atomics.load(asked, 0);
    }
    expect(rows).toBe(30);
    expect(askedEarly).toBe(2);
  } finally {
    await server.terminate();
  }
});
