import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DeleteObjectCommand } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { createTestClient, RpcError } from "../../../server/test/fixture.ts";
import { hasVersitygw } from "../versitygw.ts";
import { createPlaces, type Places } from "./places.ts";

const key = "qk_first";
const expired = -32172;

/** Returns the rows of a result, or the code of the error. */
async function rowsOf(url: string, id: string): Promise<unknown> {
  const reading = createTestClient(url, key).results({ queryRunId: id });
  return reading.then(
    ({ rows }) => rows,
    (error: unknown) => (error instanceof RpcError ? error.code : error),
  );
}

/** Removes all objects of the bucket, as if it was lost and created again. */
async function loseBucket({ storage, folder }: Places, directories: readonly string[]): Promise<void> {
  for (const Key of await storage.keys("service"))
    await storage.client.send(new DeleteObjectCommand({ Bucket: "service", Key }));
  for (const directory of directories) await rm(join(folder, directory, "result-cache"), { recursive: true });
}

if (!hasVersitygw())
  it.skip("servers with a wrong bucket are not tested here: the machine lacks go"); // as its name says
else
  it("refuses a server with another bucket than the others, until the results are given up", async () => {
    await using places = await createPlaces();
    const { run, serve, shared, storage } = places;
    const right = { ...shared, QUERN_API_KEY: key, QUERN_LEASE_SECONDS: "3" };
    const at = (address: string) => ({ ...right, QUERN_RESULTS: address });
    /** Returns the error of a server that does not start. */
    const refusal = async (env: typeof right): Promise<string> => {
      const started = serve(["--data-dir", "two"], env);
      return started.then(
        () => "the server has started",
        (error: unknown) => JSON.parse(String(error).replace(/^.*wrote a line: /, "")).message,
      );
    };
    const one = await serve(["--data-dir", "one"], right);
    const { id } = await createTestClient(one.url, key).run("select 'kept' as v");

    const other = await storage.createBucket("srevice");
    const prefix = shared.QUERN_RESULTS?.replace("?", "/typo?") ?? "";
    for (const [address, name] of [
      [other, "srevice"],
      [prefix, "service/typo"],
    ] as const) {
      const fault = `No results of this service in s3://${name} at ${storage.endpoint}/, which has no object quern.json: they were in s3://service at ${storage.endpoint}/; correct the address, or if they are lost, stop all servers and run quern migrate-store --abandon-results.`;
      expect(await refusal(at(address))).toBe(fault);
      expect(await run(["doctor", "--data-dir", "two"], at(address))).toMatchObject({
        stdout: expect.stringContaining(`No results of this service in s3://${name}`),
      });
    }
    expect(await storage.keys("srevice")).toEqual([]);
    expect((await storage.keys("service")).filter((name) => name.startsWith("typo"))).toEqual([]);
    expect(await rowsOf(one.url, id)).toEqual([["kept"]]);

    const abandon = ["migrate-store", "--abandon-results"];
    expect(await run(abandon, right)).toMatchObject({ status: 2, stderr: expect.stringContaining("servers use") });
    await one.end("SIGTERM");
    expect(await run([...abandon, "--check"], right)).toMatchObject({ status: 2 });
    expect(await run(abandon, right)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("s3://service has the results of this service; nothing was changed"),
    });

    await loseBucket(places, ["one"]);
    expect(await refusal(right)).toContain("No results of this service");
    expect(await storage.keys("service")).toEqual([]);
    expect(await run(abandon, right)).toMatchObject({ status: 0, stdout: expect.stringContaining("s3://service;") });
    const again = await serve(["--data-dir", "one"], right);
    expect(await rowsOf(again.url, id)).toBe(expired);
    const later = await createTestClient(again.url, key).run("select 'later' as v");
    await again.end("SIGTERM");

    // The results are given up for another bucket: the one before is refused, although its object quern.json is there.
    expect(await run(abandon, at(other))).toMatchObject({ status: 0 });
    expect(await refusal(right)).toBe(
      `s3://service has the results of another service; those of this service are in s3://srevice at ${storage.endpoint}/; correct the address.`,
    );
    const moved = await serve(["--data-dir", "two"], at(other));
    expect(await rowsOf(moved.url, later.id)).toBe(expired);
    await moved.end("SIGTERM");
  });
