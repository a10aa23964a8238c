import { expect, it } from "vitest";
import { parseAddress } from "../../src/storage/address.ts";

it.each([
  ["s3://results", { bucket: "results", prefix: "", pathStyle: false, text: "s3://results" }],
  ["s3://results/", { prefix: "", text: "s3://results" }],
  ["s3://results/50%25off", { prefix: "50%off/", text: "s3://results/50%off" }],
  ["s3://my.bucket/a/b/", { bucket: "my.bucket", prefix: "a/b/", text: "s3://my.bucket/a/b" }],
  [
    "s3://results?endpoint=http://127.0.0.1:9000&region=eu-west-1",
    { endpoint: "http://127.0.0.1:9000/", region: "eu-west-1", pathStyle: true },
  ],
  ["s3://results?endpoint=https://storage.example&pathStyle=false", { pathStyle: false, region: undefined }],
])("%s is an address", (url, address) => expect(parseAddress(url)).toMatchObject(address));

it.each([
  ["results", "expected s3://bucket/prefix"],
  ["https://results", "expected s3://bucket/prefix, got the scheme https:"],
  ["s3://Results_1", "the bucket needs 3 to 63 lowercase letters, digits, dots and hyphens"],
  ["s3://results?endpiont=http://a", "unknown parameter endpiont; expected endpoint, region, pathStyle"],
  ["s3://results?endpoint=storage", "endpoint: expected an http or https URL"],
  ["s3://results?pathStyle=yes", "pathStyle: expected true or false"],
  ["s3://results/50%off", "the prefix has a % that does not begin an encoded character; write %25 for a percent sign"],
  ["s3://results#a", "it has a fragment (#)"],
  ["s3://key:hidden@results", "it has credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
  ["s3://results?endpoint=http://key:hidden@storage", "endpoint: it has credentials"],
])("%s is none", (url, reason) => {
  const refused = (): unknown => parseAddress(url);
  expect(refused).toThrow(new Error(`Invalid address of results: ${reason}.`));
  expect(refused).not.toThrow(/hidden/);
});
