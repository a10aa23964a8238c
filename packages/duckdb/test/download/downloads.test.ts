import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createDownloads, type Downloads } from "../../src/download/downloads.ts";

let directory: string;
let downloads: Downloads;
beforeAll(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, "work"));
  downloads = createDownloads({ workDirectory: join(directory, "work"), maxDownloads: 3, spillMegabytes: 10 });
});
afterAll(async () => {
  await downloads.close();
  await rm(directory, { recursive: true });
});

it("a tenant has half of the places that others leave", async () => {
  const open = async (tenant: string) => {
    const task = { path: "missing", columns: [], rowCount: 0, totalBytes: 0, format: "csv" } as const;
    const download = await downloads.open(tenant, task);
    download?.written.catch(() => {}); // each is ended before it is written
    return download;
  };
  const first = await open("a");
  expect(first).toBeDefined();
  expect(await open("a")).toBeDefined();
  expect(await open("a")).toBeUndefined();
  expect(await open("b")).toBeDefined();
  expect(await open("c")).toBeUndefined();
  expect(await open("a")).toBeUndefined();
  await first?.end();
  expect(await open("c")).toBeDefined();
});
