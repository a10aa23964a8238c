import { UnavailableError } from "@quern/adapter";
import { expect, it } from "vitest";
import { parseAddress } from "../../src/storage/address.ts";
import {
  isBucketMissing,
  isMissing,
  isOfStorage,
  isPreconditionFailed,
  isRefusal,
  isUnchanged,
  startFailure,
  unavailable,
  writeFailure,
} from "../../src/storage/failure.ts";

const address = parseAddress("s3://results?endpoint=http://storage:9000");
const answer = (name: string, httpStatusCode?: unknown): Error =>
  Object.assign(new Error("AKIAEXAMPLE"), { name, $metadata: { httpStatusCode } });
const systemError = (members: object): Error => Object.assign(new Error("x"), members);

it.each([
  [answer("AccessDenied", 403), true],
  [answer("NoAnswer"), true],
  [systemError({ code: "EACCES", syscall: "connect" }), true],
  [systemError({ code: "ENOTFOUND", syscall: "getaddrinfo" }), true],
  [systemError({ code: "EIO", syscall: "read" }), true],
  [systemError({ code: "EIO", syscall: "write" }), true],
  [systemError({ code: "EIO", syscall: "write", path: "/data/a" }), false],
  [systemError({ code: "ENOSPC", syscall: "open" }), false],
  [systemError({ code: "EIO" }), false],
  [systemError({ name: "CredentialsProviderError" }), true],
  [systemError({ code: "ECONNRESET" }), true],
  [systemError({ code: "ECONNREFUSED" }), true],
  [systemError({ code: "EPIPE" }), true],
  [systemError({ code: "ETIMEDOUT" }), true],
  [systemError({ code: "ERR_STREAM_PREMATURE_CLOSE" }), true],
  [systemError({ name: "TimeoutError" }), true],
  [systemError({ code: 7, name: "TimeoutError" }), true],
  ["ECONNRESET", false],
  [undefined, false],
])("knows an error of the storage: %o", (error, expected) => expect(isOfStorage(error)).toBe(expected));

it("tells a missing object, a missing bucket, an unchanged object and an unmet condition apart", () => {
  const kinds = (error: unknown): boolean[] => [
    isMissing(error),
    isBucketMissing(error),
    isUnchanged(error),
    isPreconditionFailed(error),
  ];
  expect(kinds(answer("NoSuchKey", 404))).toEqual([true, false, false, false]);
  expect(kinds(answer("NotFound", 404))).toEqual([true, false, false, false]);
  expect(kinds(answer("NoSuchBucket", 404))).toEqual([false, true, false, false]);
  expect(kinds(answer("NotModified", 304))).toEqual([false, false, true, false]);
  expect(kinds(answer("PreconditionFailed", 412))).toEqual([false, false, false, true]);
  expect(kinds(answer("ConditionalRequestConflict", 409))).toEqual([false, false, false, true]);
  expect(kinds(answer("OperationAborted", 409))).toEqual([false, false, false, false]);
  expect(kinds("NoSuchKey")).toEqual([true, false, false, false]);
});

it.each([
  ["AccessDenied", 400, true],
  ["AccessDenied", 499, true],
  ["AccessDenied", 399, false],
  ["AccessDenied", 500, false],
  ["Other", 408, false],
  ["Other", 409, false],
  ["Other", 429, false],
  ["RequestInTheFuture", 403, false],
  ["RequestExpired", 403, false],
  ["IncompleteBody", 400, false],
  ["BadDigest", 400, false],
  ["NoSuchUpload", 404, false],
  ["AccessDenied", "403", false],
])("%s with the status %s would be refused again: %s", (code, status, expected) =>
  expect(isRefusal(answer(code, status))).toBe(expected),
);

it("keeps an UnavailableError, and omits the status of an error without a response", () => {
  const known = new UnavailableError("x");
  expect(unavailable(known, address)).toBe(known);
  expect(unavailable(systemError({ code: "EPIPE" }), address).message).toBe(
    "The object storage s3://results is unavailable: EPIPE",
  );
  expect(unavailable("odd", address).message).toBe("The object storage s3://results is unavailable: odd");
  expect(writeFailure(answer("AccessDenied", 403), address, "sources").message).toContain("refuses sources: ");
});

it.each([
  [answer("NoSuchBucket", 404), "Unknown bucket: results at http://storage:9000/"],
  [systemError({ name: "CredentialsProviderError" }), "No credentials for s3://results: "],
  [answer("RequestTimeTooSkewed", 403), "Wrong clock: "],
  [answer("RequestInTheFuture", 403), "Wrong clock: "],
  [answer("RequestExpired", 403), "Wrong clock: "],
  [answer("AuthorizationHeaderMalformed", 400), "Wrong region for s3://results: AuthorizationHeaderMalformed;"],
  [answer("IllegalLocationConstraintException", 400), "Wrong region for s3://results: "],
  [answer("PermanentRedirect", 400), "Wrong region for s3://results: "],
  [answer("Moved", 301), "Wrong region for s3://results: Moved;"],
  [answer("Odd", 401), "Access to s3://results at http://storage:9000/ denied: Odd;"],
  [answer("Odd", 403), "Access to s3://results at "],
  [answer("AccessDenied", 400), "Access to s3://results at "],
  [answer("ExpiredToken", 400), "Access to s3://results at "],
  [answer("Forbidden", 400), "Access to s3://results at "],
  [answer("InvalidAccessKeyId", 400), "Access to s3://results at "],
  [answer("InvalidToken", 400), "Access to s3://results at "],
  [answer("UserNotFound", 404), "Access to s3://results at "],
  [answer("user not found", 404), "Access to s3://results at "],
  [systemError({ code: "ECONNREFUSED" }), "Cannot reach the object storage at http://storage:9000/: ECONNREFUSED;"],
  [answer("Odd", 400), "Cannot use s3://results at http://storage:9000/: Odd (400)."],
])("says why the storage cannot be used: %o", (error, start) => {
  const { message } = startFailure(error, address);
  expect(message.slice(0, start.length)).toBe(start);
});

it("names AWS if the address has no endpoint", () => {
  expect(startFailure(answer("NoSuchBucket", 404), parseAddress("s3://results")).message).toContain("at AWS;");
});
