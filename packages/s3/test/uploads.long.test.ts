import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { expectUploadFiles } from "../../server/test/uploads/upload-files-cases.ts";
import { openStore, temporaryDirectory } from "./fixture.ts";
import { startStorage } from "./storage.ts";
import { hasVersitygw } from "./versitygw.ts";

if (!hasVersitygw())
  it.skip("uploaded files in object storage are not stored here: the machine lacks go"); // as its name says
else
  it("an object storage keeps uploaded files, each written once, beside the results", async () => {
    await using storage = await startStorage();
    const work = await temporaryDirectory();
    const store = await openStore(await storage.createBucket("uploads"), work, { serviceId: "service" });
    const before = await storage.keys("uploads");
    expect(store.uploads).toBeDefined();
    if (store.uploads !== undefined) await expectUploadFiles(store.uploads);
    expect((await storage.keys("uploads")).filter((key) => !before.includes(key))).toEqual(["uploads/small"]);
    await store.close();
    await rm(work, { recursive: true, force: true });
  });
