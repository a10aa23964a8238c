import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HeadBucketCommand } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { parseAddress } from "../../src/storage/address.ts";
import { openStorage, type Storage } from "../../src/storage/storage.ts";

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("AWS_REGION", undefined);
});
afterEach(() => void vi.unstubAllEnvs());

function open(url: string): Storage {
  const storage = openStorage(parseAddress(url));
  onTestFinished(() => storage.client.destroy());
  return storage;
}

it.each([
  ["s3://bucket?endpoint=http://localhost", "us-east-1", true],
  ["s3://bucket?endpoint=http://localhost&region=eu-west-1&pathStyle=false", "eu-west-1", false],
  ["s3://bucket?region=eu-west-1", "eu-west-1", false],
])("sends requests to %s in the region %s", async (url, region, forcePathStyle) => {
  const { client, address } = open(url);
  expect([await client.config.region(), client.config.forcePathStyle]).toEqual([region, forcePathStyle]);
  expect(address.bucket).toBe("bucket");
  expect(await client.config.maxAttempts()).toBe(4);
  expect(await client.config.requestChecksumCalculation()).toBe("WHEN_REQUIRED");
  expect(await client.config.responseChecksumValidation()).toBe("WHEN_REQUIRED");
});

it.each([
  [new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000],
  ["no date", 0],
])("knows the difference of its clock from that of the storage: %s", async (date, differenceMs) => {
  const server = createServer((_, response) => void response.writeHead(200, { date }).end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  const storage = open(`s3://bucket?endpoint=http://127.0.0.1:${port}`);
  expect(storage.clockDifferenceMs()).toBe(0);
  await storage.client.send(new HeadBucketCommand({ Bucket: "bucket" }));
  expect(Math.round(storage.clockDifferenceMs() / 3_600_000) * 3_600_000).toBe(differenceMs);
});
