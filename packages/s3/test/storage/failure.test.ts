import { expect, it } from "vitest";
import { parseAddress } from "../../src/storage/address.ts";
import { writeFailure } from "../../src/storage/failure.ts";

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
  ["NoSuchBucket", 404],
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
])("%s (%i) is an outage", (code, status) => {
  expect(writeFailure(answer(code, status), address)).toMatchObject({
    name: "UnavailableError",
    message: `The object storage s3://results is unavailable: ${code} (${status})`,
  });
});
