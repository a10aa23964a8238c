import { rm } from "node:fs/promises";
import { join } from "node:path";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore, temporaryDirectory } from "../fixture.ts";
import { startProxy } from "../proxy.ts";
import { credentials, startStorage, type TestStorage } from "../storage.ts";
import { hasVersitygw } from "../versitygw.ts";

if (!hasVersitygw())
  it.skip("starts of the result store do not run here: the machine lacks go"); // as its name says
else
  describe("the start of a result store", () => {
    let storage: TestStorage;
    let work: string;
    let url: string;
    let bucket: string;
    let buckets = 0;
    let stores = 0;
    beforeAll(async () => {
      work = await temporaryDirectory();
      storage = await startStorage();
    });
    beforeEach(async () => {
      bucket = `claims-${++buckets}`;
      url = await storage.createBucket(bucket);
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      vi.useRealTimers();
    });
    afterAll(async () => {
      await storage[Symbol.asyncDispose]();
      await rm(work, { recursive: true, force: true });
    });

    const start = (address: string, serviceId?: string) =>
      openStore(address, join(work, `server-${++stores}`), serviceId === undefined ? {} : { serviceId });
    /** Returns the message with which a start fails. */
    async function refusal(address: string, serviceId?: string): Promise<string> {
      const error: unknown = await start(address, serviceId).then(
        () => new Error("started"),
        (reason: unknown) => reason,
      );
      if (!(error instanceof Error)) throw new Error("no error");
      expect(JSON.stringify({ ...error, message: error.message, cause: error.cause })).not.toMatch(
        /secret-of-the-test|wrong-(?:key|secret)/,
      );
      expect(error.message).not.toContain("\n");
      return error.message;
    }
    const put = (Key: string, Body: string) => storage.client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));

    it("claims an empty bucket for the service, and several servers of it may start at the same time", async () => {
      await start(url); // as a check of the machine does
      expect(await storage.keys(bucket)).toEqual([]);
      await Promise.all([1, 2, 3].map(() => start(url, "service-a")));
      await start(url, "service-a");
      await start(url);
      expect(await storage.keys(bucket)).toEqual(["quern.json"]);
      const { Body } = await storage.client.send(new GetObjectCommand({ Bucket: bucket, Key: "quern.json" }));
      expect(JSON.parse((await Body?.transformToString()) ?? "")).toEqual({ format: 1, serviceId: "service-a" });
    });

    it("refuses the bucket of another service, and a newer format, but accepts another prefix", async () => {
      await start(url, "service-a");
      expect(await refusal(url, "service-b")).toBe(
        `s3://${bucket} has the results of another service; use another bucket or prefix.`,
      );
      await start(url.replace("?", "/b?"), "service-b");
      await put("quern.json", '{"format":2,"serviceId":"service-a"}');
      expect(await refusal(url, "service-a")).toBe(
        `The results in s3://${bucket} have the format 2 of a newer version of Quern; update this server.`,
      );
      await put("quern.json", "{}");
      expect(await refusal(url, "service-a")).toBe(
        `Invalid object quern.json in s3://${bucket}: it was not created by Quern; use another bucket or prefix.`,
      );
    });

    it("refuses an empty bucket of a service that has another one, and claims none that it only checks", async () => {
      const options = { serviceId: "service-a", previousUrl: url };
      const empty = url.replace("?", "/empty?");
      const at = `at ${storage.endpoint}/`;
      await start(url, "service-a");
      const open = (address: string) => openStore(address, join(work, `server-${++stores}`), options);
      await open(url);
      await expect(open(empty)).rejects.toThrow(
        `No results of this service in s3://${bucket}/empty ${at}, which has no object quern.json: they were in s3://${bucket} ${at}; correct the address`,
      );
      await openStore(empty, join(work, `server-${++stores}`), { serviceId: "service-a", claims: false });
      expect(await storage.keys(bucket)).toEqual(["quern.json"]);
    });

    it("refuses a bucket with other objects", async () => {
      await put("photos/1.jpg", "photo");
      expect(await refusal(url, "service-a")).toBe(
        `s3://${bucket} has objects of something else; use an empty bucket or prefix.`,
      );
      expect(await storage.keys(bucket)).toEqual(["photos/1.jpg"]);
    });

    it("names an address without a storage, and a missing bucket", async () => {
      expect(await refusal("s3://results?endpoint=http://127.0.0.1:1")).toBe(
        "Cannot reach the object storage at http://127.0.0.1:1/: ECONNREFUSED; check the address.",
      );
      expect(await refusal("s3://results?endpoint=http://storage.invalid")).toMatch(
        /^Cannot reach the object storage at http:\/\/storage\.invalid\/: (?:ENOTFOUND|EAI_AGAIN); check the address\.$/,
      );
      expect(await refusal(`s3://no-such-bucket?endpoint=${storage.endpoint}`)).toBe(
        `Unknown bucket: no-such-bucket at ${storage.endpoint}/; create it, or correct the address.`,
      );
    });

    it("names a wrong key, secret and region, and missing ones", async () => {
      const denied = (code: string): string =>
        `Access to s3://${bucket} at ${storage.endpoint}/ denied: ${code}; check the access key, its secret and its rights.`;
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong-secret");
      expect(await refusal(url)).toBe(denied("SignatureDoesNotMatch"));
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", credentials.secretAccessKey);
      vi.stubEnv("AWS_ACCESS_KEY_ID", "wrong-key");
      expect(await refusal(url)).toBe(denied("XAdminUserNotFound")); // the code of versitygw; AWS has InvalidAccessKeyId
      vi.stubEnv("AWS_ACCESS_KEY_ID", credentials.accessKeyId);
      expect(await refusal(`${url}&region=eu-west-1`)).toBe(
        `Wrong region for s3://${bucket}: AuthorizationHeaderMalformed; set the parameter region to that of the bucket.`,
      );
      expect(await refusal("s3://results")).toBe(
        "No region for s3://results: set the parameter region, or AWS_REGION, and endpoint for a storage other than AWS.",
      );
      vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
      vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
      expect(await refusal(url)).toBe(
        `No credentials for s3://${bucket}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile of AWS.`,
      );
    });

    it("names a wrong clock, with which the client itself would go on", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
      expect(await refusal(url)).toMatch(
        /^Wrong clock: this machine is 3[56]\d\d seconds ahead of http:\S+; synchronize it, and a storage of your own, too\.$/,
      );
    });

    it("refuses a storage that ignores If-None-Match", async () => {
      await using proxy = await startProxy(storage.endpoint);
      let puts = 0;
      proxy.fault = ({ method }) => {
        if (method === "PUT") puts += 1;
        return method === "PUT" && puts === 2 ? "accept" : "none";
      };
      expect(await refusal(url.replace(storage.endpoint, proxy.endpoint), "service-a")).toBe(
        `The object storage of s3://${bucket} ignores If-None-Match, so results could be overwritten; use a storage that supports it.`,
      );
    });
  });
