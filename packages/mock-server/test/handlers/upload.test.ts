import { createClient, query, rowsOf, uploadFile } from "@quern/client";
import { http } from "msw";
import { setupServer } from "msw/node";
import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { listen } from "../../src/listen.ts";
import { mswHandlers } from "../../src/msw.ts";

const csv = Buffer.from("origin,region\nDE,Europe\n");
const sql = "select * from regions";

function mocked() {
  const mock = createMockServer();
  mock.when(sql).rows([{ region: "Europe" }]);
  return mock;
}

it("accepts an upload, and answers its query as a stub does, once", async () => {
  const mock = mocked();
  await using listening = await listen(mock);
  const client = createClient({ url: listening.url, apiKey: mock.apiKey });
  const uploads = { regions: await uploadFile(client, csv, { format: "csv" }) };
  const result = await query(client, { sql, uploads });
  expect(await Array.fromAsync(rowsOf(result))).toEqual([{ region: "Europe" }]);
  const data = { name: "regions", uploadId: uploads.regions };
  await expect(query(client, { sql, uploads })).rejects.toMatchObject({ errorName: "UploadNotFound", data });
  const again = { regions: await uploadFile(client, csv, { format: "csv" }) };
  await expect(query(client, { sql, uploads: { ...again, REGIONS: "upload" } })).rejects.toMatchObject({
    code: -32602,
  });
  const reused = await query(client, { sql, uploads: again, maxAgeMinutes: 10 });
  expect(reused.queryRunId).toBe(result.queryRunId);
});

it("refuses files as a service does, over the listener and by handlers of MSW", async () => {
  const mock = mocked();
  const msw = setupServer(...mswHandlers(http, mock, "https://warehouse.example"));
  msw.listen();
  try {
    const client = createClient({ url: "https://warehouse.example", apiKey: mock.apiKey });
    await uploadFile(client, csv, { format: "csv" });
    const tooLong = uploadFile(client, csv, { format: "csv", bytes: 3 });
    await expect(tooLong).rejects.toMatchObject({ kind: "http", status: 413 });
    const unknown = await mock.fetch(`${mock.url}/uploads/${crypto.randomUUID()}`, { method: "PUT", body: "x" });
    expect(unknown.status).toBe(403);
    expect((await mock.fetch(`${mock.url}/uploads/x`)).status).toBe(405);
  } finally {
    msw.close();
  }
});
