import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, query, runOf, temporaryDirectory, writeResult } from "../fixture.ts";
import { startStorage, type TestStorage } from "../storage.ts";
import { hasVersitygw } from "../versitygw.ts";

if (!hasVersitygw())
  it.skip("downloads from storage do not run here: the machine lacks go"); // as its name says
else
  describe("a signed link", () => {
    let storage: TestStorage;
    let work: string;
    let url: string;
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage();
      url = await storage.createBucket("downloads");
    });
    afterAll(async () => {
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });
    const contentDisposition = `attachment; filename="run__.parquet"; filename*=UTF-8''run%20%22%C3%A9%22%27%28%29.parquet`;
    const link = { format: "parquet", contentDisposition, expiresInSeconds: 60 };
    const serverOf = (name: string) => openStore(url, join(work, name));

    it("downloads the file with the names of the columns, without the service", async () => {
      const store = await serverOf("a");
      const written = await writeResult(work, "SELECT range AS c0, range * 2 AS c1 FROM range(50000)", 50_000, [
        "number",
        "number",
      ]);
      await store.commit(runOf("run_a"), written);
      const address = await (await serverOf("b")).downloadUrl(runOf("run_a"), link);
      const answer = await fetch(address ?? "");
      expect([answer.status, answer.headers.get("content-disposition"), answer.headers.get("cache-control")]).toEqual([
        200,
        contentDisposition,
        "private, no-store",
      ]);
      const file = join(work, "downloaded.parquet");
      await writeFile(file, Buffer.from(await answer.arrayBuffer()));
      expect(await query(`SELECT count(*), sum(number), sum(number_2) FROM '${file}'`)).toEqual([
        ["50000", "1249975000", "2499950000"],
      ]);
      expect((await query(`DESCRIBE FROM '${file}'`)).map(([name]) => name)).toEqual(["number", "number_2"]);
    });

    it("ends when it expires, and is invalid if it is changed", async () => {
      const store = await serverOf("c");
      const address = (await store.downloadUrl(runOf("run_a"), { ...link, expiresInSeconds: 2 })) ?? "";
      expect((await fetch(address, { headers: { range: "bytes=0-3" } })).status).toBe(206);
      expect((await fetch(address.replace("run_a", "run_b"))).status).toBe(403);
      expect((await fetch(address.replace("X-Amz-Expires=2", "X-Amz-Expires=60"))).status).toBe(403);
      expect((await fetch(address, { method: "DELETE" })).status).toBe(403);
      await setTimeout(3_000);
      expect((await fetch(address)).status).toBe(403);
    });

    it("is not there for another format, or for a result that does not exist", async () => {
      const store = await serverOf("d");
      expect(await store.downloadUrl(runOf("run_a"), { ...link, format: "csv" })).toBeUndefined();
      expect(await store.downloadUrl(runOf("run_none"), link)).toBeUndefined();
      await store.remove(runOf("run_a"));
      expect(await store.downloadUrl(runOf("run_a"), link)).toBeUndefined();
    });

    it("is not there for a result whose columns have no names, which is read as it is", async () => {
      const store = await serverOf("e");
      const written = await writeResult(work, "SELECT 1 AS c0, 2 AS c1", 1, ["one"]);
      await store.commit(runOf("run_e"), written);
      const other = await serverOf("f");
      expect(await other.downloadUrl(runOf("run_e"), link)).toBeUndefined();
      const opened = await other.open(runOf("run_e"), { first: 0, count: 1 });
      expect(await query(`FROM '${opened?.paths[0]}'`)).toEqual([[1, 2]]);
    });
  });
