import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { parseAddress } from "../../src/storage/address.ts";
import { startFailure, writeFailure } from "../../src/storage/failure.ts";

const address = parseAddress("s3://results");

/** Error of the S3 client, whose message quotes the access key. */
function answer(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error("AKIAEXAMPLE"), { name, $metadata: { httpStatusCode } });
}

it.each([
  ["AccessDenied", 403],
  ["InvalidAccessKeyId", 403],
  ["EntityTooLarge", 400],
  ["KMS.DisabledException", 400],
])("%s (%i) is no outage, since the storage would refuse the write again", (code, status) => {
  const failure = writeFailure(answer(code, status), address);
  expect(failure.name).toBe("Error");
  expect(failure.message).toBe(
    `The object storage s3://results refuses results: ${code} (${status}); check the bucket and the rights of the access key.`,
  );
});

it.each([
  ["SlowDown", 503],
  ["InternalError", 500],
  ["TooManyRequests", 429],
  ["OperationAborted", 409],
  ["RequestTimeout", 400],
  ["ExpiredToken", 400],
  ["RequestTimeTooSkewed", 403],
  ["NoSuchBucket", 404],
])("%s (%i) is an outage", (code, status) => {
  expect(writeFailure(answer(code, status), address)).toMatchObject({
    name: "UnavailableError",
    message: `The object storage s3://results is unavailable: ${code} (${status})`,
  });
});

it("names the missing home directory of a user whom the system does not know, such as in a container", () => {
  // Only root can become another user. The id changes after the start, because that user might not reach Node.js.
  const program = "process.seteuid(90_501); try { os.homedir() } catch ({ code }) { console.log(code) }";
  const isRoot = process.getuid?.() === 0;
  const code = isRoot
    ? execFileSync(process.execPath, ["--eval", program], { env: {}, encoding: "utf8" }).trim()
    : "ERR_SYSTEM_ERROR";
  expect(startFailure(Object.assign(new Error("uv_os_homedir"), { code }), address).message).toBe(
    "No home directory for s3://results: the user of this process has none; set the variable HOME.",
  );
});

it("names what a bucket outside of AWS needs if the region is missing", () => {
  expect(startFailure(new Error("Region is missing"), address).message).toBe(
    "No region for s3://results: set the parameter region, or AWS_REGION, and endpoint for a storage other than AWS.",
  );
});
