import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { fetchObjects } from "../src/objects.ts";
import { temporaryDirectory } from "./fixture.ts";
import { startStorage, type TestStorage } from "./storage.ts";
import { hasVersitygw } from "./versitygw.ts";

const bucket = "exports";
const isCsv = (name: string): boolean => name.toLowerCase().endsWith(".csv");

if (!hasVersitygw())
  it.skip("copies of objects do not run here: the machine lacks go"); // as its name says
else
  describe("a copy of objects", () => {
    let storage: TestStorage;
    let work: string;
    let parameters: string;
    let made = 0;
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage();
      await storage.createBucket(bucket);
      parameters = `?endpoint=${storage.endpoint}`;
      for (const [key, text] of Object.entries({
        "orders/2026/a.csv": "n\n1\n",
        "orders/b.CSV": "n\n2\n",
        "orders/notes.txt": "no rows",
        "orders.csv": "n\n3\n",
        "orders-old/c.csv": "n\n4\n",
        "a file.csv": "n\n5\n",
        "empty.csv": "",
      }))
        await put(key, text);
    });
    afterEach(() => vi.unstubAllEnvs());
    afterAll(async () => {
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });

    const put = (key: string, text: string) => storage.put(bucket, key, text);

    /** Replaces an object before it returns, in a process of its own. */
    function putNow(Key: string, Body: string): void {
      const options = { endpoint: storage.endpoint, region: "us-east-1", forcePathStyle: true };
      const script = `import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
        await new S3Client(${JSON.stringify(options)}).send(new PutObjectCommand(${JSON.stringify({ Bucket: bucket, Key, Body })}));`;
      execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: import.meta.dirname });
    }

    async function copied(path: string): Promise<Readonly<Record<string, string>>> {
      const directory = join(work, String(++made));
      await mkdir(directory);
      const count = await fetchObjects(`s3://${bucket}${path}${parameters}`, directory, isCsv);
      const names = (await readdir(directory)).sort();
      expect(names).toHaveLength(count);
      const texts = names.map(async (name) => [name, await readFile(join(directory, name), "utf8")] as const);
      return Object.fromEntries(await Promise.all(texts));
    }

    it("has the object with the key, or else those in the folder of this name", async () => {
      expect(await copied("/orders.csv")).toEqual({ "1.csv": "n\n3\n" });
      expect(await copied("/orders")).toEqual({ "1.csv": "n\n1\n", "2.CSV": "n\n2\n" });
      expect(await copied("/orders/")).toEqual(await copied("/orders"));
      expect(await copied("/a%20file.csv")).toEqual({ "1.csv": "n\n5\n" });
      expect(await copied("/empty.csv")).toEqual({ "1.csv": "" });
      expect(Object.keys(await copied(""))).toHaveLength(6);
      expect(await copied("/orders/notes.txt")).toEqual({});
    });

    it("fails in one line without a secret for a missing object or bucket, wrong credentials and an invalid address", async () => {
      const fails = (address: string, message: RegExp) =>
        expect(fetchObjects(address, work, isCsv)).rejects.toThrow(message);
      await fails(
        `s3://${bucket}/none.csv${parameters}`,
        /^No object found: s3:\/\/exports\/none\.csv; name an object,/,
      );
      await fails(`s3://${bucket}/*.csv${parameters}`, /^No object found: /);
      await fails(`s3://missing${parameters}`, /^Unknown bucket: missing at http/);
      await fails(`s3://${bucket}?secret=hush`, /^Invalid address of objects: unknown parameter secret; expected /);
      vi.stubEnv("AWS_ACCESS_KEY_ID", "nobody");
      await fails(
        `s3://${bucket}/orders.csv${parameters}`,
        /^Access to s3:\/\/exports\/orders\.csv at \S+ denied: \w+; /,
      );
    });

    it("fails if an object changes while it is read", async () => {
      await put("moving.csv", "n\n1\n");
      const accepts = (name: string): boolean => {
        putNow("moving.csv", "n\n2\n"); // between the list and the first byte
        return isCsv(name);
      };
      const directory = join(work, "moving");
      await mkdir(directory);
      const copy = fetchObjects(`s3://${bucket}/moving.csv${parameters}`, directory, accepts);
      await expect(copy).rejects.toThrow(
        "Object changed while it was read: moving.csv in s3://exports; repeat the load when it is complete.",
      );
    });
  });
