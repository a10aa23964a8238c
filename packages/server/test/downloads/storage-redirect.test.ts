import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ResultStore, StorageLink } from "@quern/adapter";
import type { GetQueryRunDownloadResult } from "@quern/protocol/types";
import { expect, it, onTestFinished } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { createResultStore } from "../../src/results/result-store.ts";
import { createTestClock, startServer, type TestServerOptions, temporaryDirectory } from "../fixture.ts";

const engine = oneProcessOfFile();

/** Starts a server whose storage has Parquet files. `links` has the requested links. */
async function startWithLinks(options: TestServerOptions) {
  const directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const links: StorageLink[] = [];
  const results: ResultStore = {
    ...(await createResultStore(join(directory, "results"))),
    async downloadUrl(run, link) {
      links.push(link);
      return link.format === "parquet" ? `https://storage.example.com/${run.id}?signed` : undefined;
    },
  };
  const server = await startServer({ kind: engine(), results, limits: { maxSmallResultBytes: 0 }, ...options });
  const { id } = await server.run("select 1 as n");
  const request = async (format: string, view: object = {}) => {
    const params = { queryRunId: id, format, ...view };
    const { url } = await server.call<GetQueryRunDownloadResult>("getQueryRunDownload", params);
    return { id, url, get: () => fetch(url, { redirect: "manual" }) };
  };
  return { server, links, request };
}

it("redirects a download to the storage that has the file, for the time that is left of the link", async () => {
  const clock = createTestClock();
  const { server, links, request } = await startWithLinks({ downloadsFromStorage: true, clock });
  await using _ = server;
  const { id, get } = await request("parquet");
  clock.advance(60_000);
  const response = await get();
  expect([response.status, response.headers.get("location")]).toEqual([
    302,
    `https://storage.example.com/${id}?signed`,
  ]);
  expect(response.headers.get("cache-control")).toBe("private, no-store");
  expect(links).toEqual([
    { format: "parquet", contentDisposition: `attachment; filename="${id}.parquet"`, expiresInSeconds: 840 },
  ]);
  const csv = await (await request("csv")).get();
  expect([csv.status, await csv.text()]).toEqual([200, expect.stringContaining("1")]);
});

it("redirects a link for one download once, to a target that is valid for a minute", async () => {
  const { server, links, request } = await startWithLinks({ downloadsFromStorage: true, singleUseLinks: true });
  await using _ = server;
  const { get } = await request("parquet");
  expect([(await get()).status, (await get()).status]).toEqual([302, 410]);
  expect(links[0]?.expiresInSeconds).toBe(60);
});

it("sends downloads itself unless the setting is on", async () => {
  const { server, links, request } = await startWithLinks({});
  await using _ = server;
  expect((await (await request("parquet")).get()).status).toBe(200);
  expect(links).toEqual([]);
});

it("redirects a named download, and sends one with filters or an order itself", async () => {
  const { server, links, request } = await startWithLinks({ downloadsFromStorage: true });
  await using _ = server;
  const named = await request("parquet", { fileName: "../Größe", filters: [], sortBy: null });
  expect((await named.get()).status).toBe(302);
  expect(links.splice(0)).toMatchObject([
    { contentDisposition: `attachment; filename="Gr__e.parquet"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.parquet` },
  ]);
  for (const view of [{ filters: [{ column: "n", eq: 1 }] }, { sortBy: [{ column: "n", direction: "asc" }] }])
    expect((await (await request("parquet", view)).get()).status).toBe(200);
  expect(links).toEqual([]);
});
