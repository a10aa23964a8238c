import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { uploadResult } from "../../src/results/upload.ts";
import { parseAddress } from "../../src/storage/address.ts";
import { openStorage } from "../../src/storage/storage.ts";

it("does not repeat an upload that the storage refuses", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  const directory = await mkdtemp(join(tmpdir(), "refusal-"));
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().on("end", () => {
      response.writeHead(403, { "content-type": "application/xml" });
      response.end("<Error><Code>AccessDenied</Code><Message>AKIAEXAMPLE may not write.</Message></Error>");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // `address()` is an object for a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  const storage = openStorage(parseAddress(`s3://results?endpoint=http://127.0.0.1:${port}`));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    storage.client.destroy();
    server.close();
    await rm(directory, { recursive: true });
  });
  const path = join(directory, "result");
  await writeFile(path, "PAR1");
  const local = { path, bytes: 4, valuesEnd: 4, footer: undefined };
  const labels = { columns: [], checksum: "0", committer: "test" };
  await expect(uploadResult(storage, "results/run.1.parquet", local, labels)).rejects.toMatchObject({
    name: "Error",
    message: expect.stringMatching(/^The object storage s3:\/\/results refuses results: AccessDenied \(403\);/),
  });
  expect(requests).toBe(1);
});
