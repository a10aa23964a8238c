import type { CreateUploadResult } from "@quern/protocol/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../fixture.ts";
import { filesOf, put, readingKind, upload } from "./fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ kind: readingKind });
});
afterAll(() => server[Symbol.asyncDispose]());

const regions = "origin,region\nDE,Europe\nES,Iberia\n";

describe("the address of an upload", () => {
  const createUpload = (bytes?: number) =>
    server.call<CreateUploadResult>("createUpload", { format: "csv", ...(bytes !== undefined && { bytes }) });

  it("takes one file, and no other request", async () => {
    const { url, uploadId } = await createUpload(100);
    await expect(server.run("from t", { uploads: { t: uploadId } })).rejects.toMatchObject({ code: -32179 });
    expect((await fetch(url)).status).toBe(405);
    const preflight = await fetch(url, { method: "OPTIONS", headers: { origin: "https://app.example" } });
    expect(preflight.headers.get("access-control-allow-methods")).toBe("PUT");
    expect((await put(`${url}x`, regions)).status).toBe(403);
    const [claims = "", signature] = url.split("/").at(-1)?.split(".") ?? [];
    const forged = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), maxBytes: 1e9 };
    const text = Buffer.from(JSON.stringify(forged)).toString("base64url");
    expect((await put(`${server.url}/uploads/${text}.${signature}`, regions)).status).toBe(403);
    const gzip = { method: "PUT", body: regions, headers: { "content-encoding": "gzip" } };
    expect((await fetch(url, gzip)).status).toBe(415);
    const answers = await Promise.all([put(url, regions), put(url, regions)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await put(url, regions)).status).toBe(409);
    expect(await server.rows("from t", { uploads: { t: uploadId } })).toEqual([["t", regions]]);
    // The upload is deleted after the answer of its run.
    await expect.poll(async () => (await put(url, regions)).status).toBe(410);
  });

  it("refuses more bytes than announced, keeps nothing of them, and then takes the right file", async () => {
    const { url, uploadId } = await createUpload(regions.length);
    expect((await put(url, "x".repeat(regions.length + 1))).status).toBe(413);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    expect((await put(url, endless).catch(() => ({ status: 413 }))).status).toBe(413);
    const aborting = new AbortController();
    const partial = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("origin")) });
    const init = { method: "PUT", body: partial, duplex: "half", signal: aborting.signal } as RequestInit;
    const aborted = fetch(url, init).catch(() => undefined);
    await expect.poll(() => filesOf(server)).toHaveLength(1);
    aborting.abort();
    await aborted;
    await expect.poll(() => filesOf(server)).toEqual([]);
    expect((await put(url, regions)).status).toBe(204);
    expect(await server.rows("from t", { uploads: { t: uploadId } })).toEqual([["t", regions]]);
    await expect(createUpload(100_000_001)).rejects.toMatchObject({ code: -32602 });
  });

  it("refuses other formats by name, and stores the bytes of a file without reading them", async () => {
    await expect(server.call("createUpload", { format: "xlsx" })).rejects.toMatchObject({
      code: -32602,
      data: {
        issues: [
          {
            pointer: "/params/0/format",
            expected: expect.stringMatching(/csv.*json.*parquet/),
            received: expect.stringContaining("xlsx"),
          },
        ],
      },
    });
    const garbage = "PAR1 \u0000 no table";
    const uploads = { t: await upload(server, "parquet", garbage) };
    expect(await server.rows("from t", { uploads })).toEqual([["t", garbage]]);
  });
});
