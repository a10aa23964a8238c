import { isUnavailableError, UnavailableError } from "@quern/adapter";
import type { Address } from "./address.ts";

/** Members of errors of the S3 client and of Node.js. */
interface Failure {
  /** Code of the storage or of Node.js, such as `NoSuchBucket` or `ECONNREFUSED`. */
  readonly code: string;
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
}

const accessCodes = ["AccessDenied", "ExpiredToken", "Forbidden", "InvalidAccessKeyId", "InvalidToken"];
const regionCodes = ["AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect"];
const skewCodes = ["RequestTimeTooSkewed", "RequestInTheFuture", "RequestExpired"];

/** Codes of connections that break while a body is read. */
const brokenCodes = ["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT", "ERR_STREAM_PREMATURE_CLOSE", "TimeoutError"];

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: String(error), status: 0 };
  const metadata = "$metadata" in error ? error.$metadata : undefined;
  const status =
    typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata ? metadata.httpStatusCode : 0;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return { code, status: typeof status === "number" ? status : 0 };
}

/** Returns true for an error of the storage, its network or its credentials, as opposed to one of the local disk. */
export function isOfStorage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOfNetwork =
    "syscall" in error &&
    ["connect", "getaddrinfo", "read", "write"].includes(String(error.syscall)) &&
    !("path" in error);
  return (
    "$metadata" in error ||
    isOfNetwork ||
    error.name === "CredentialsProviderError" ||
    brokenCodes.includes(failureOf(error).code)
  );
}

/**
 * Returns true if an object does not exist, as opposed to its bucket. The answer to a HEAD has no code, so that of a
 * missing bucket is true as well: the SDK calls both `NotFound`.
 */
export function isMissing(error: unknown): boolean {
  return ["NoSuchKey", "NotFound"].includes(failureOf(error).code);
}

/** Returns true if the bucket does not exist. */
export function isBucketMissing(error: unknown): boolean {
  return failureOf(error).code === "NoSuchBucket";
}

/** Returns true if an object has not changed since it was read. */
export function isUnchanged(error: unknown): boolean {
  return failureOf(error).status === 304;
}

/** Returns true if a condition of a request was not met: an object exists already, or has changed. */
export function isPreconditionFailed(error: unknown): boolean {
  const { code, status } = failureOf(error);
  return status === 412 || code === "ConditionalRequestConflict"; // 409: another write of the same key is in progress
}

/**
 * Returns the error of a storage that cannot be used at present. It has the code only, because other members of the
 * error quote the request with its access key.
 */
export function unavailable(error: unknown, { text }: Address): UnavailableError {
  if (isUnavailableError(error)) return error;
  const { code, status } = failureOf(error);
  return new UnavailableError(
    `The object storage ${text} is unavailable: ${code}${status === 0 ? "" : ` (${status})`}`,
  );
}

/** Codes of refusals that end without a change of the rights or the request, such as by other credentials. */
const passingCodes = [
  ...skewCodes,
  "ExpiredToken",
  "RequestTimeout",
  "IncompleteBody",
  "BadDigest",
  "NoSuchUpload",
  "NoSuchBucket", // a lost bucket is restored or created again
];
const passingStatuses = [408, 409, 429];

/** Returns true if a storage refuses a request, and would refuse it again, such as without a right. */
export function isRefusal(error: unknown): boolean {
  const { code, status } = failureOf(error);
  return status >= 400 && status < 500 && !passingStatuses.includes(status) && !passingCodes.includes(code);
}

/**
 * Returns the error of a storage that did not accept a write: an UnavailableError, unless the storage would refuse the
 * write again. It has the code only, like that of {@link unavailable}.
 */
export function writeFailure(error: unknown, address: Address, what = "results"): Error {
  if (!isRefusal(error)) return unavailable(error, address);
  const { code, status } = failureOf(error);
  return new Error(
    `The object storage ${address.text} refuses ${what}: ${code} (${status}); check the bucket and the rights of the access key.`,
  );
}

/** Returns an error of one line that says why a storage cannot be used, and how to correct the configuration. */
export function startFailure(error: unknown, { text, bucket, endpoint }: Address): Error {
  const { code, status } = failureOf(error);
  const at = endpoint ?? "AWS";
  if (code === "NoSuchBucket")
    return new Error(`Unknown bucket: ${bucket} at ${at}; create it, or correct the address.`);
  if (code === "CredentialsProviderError")
    return new Error(
      `No credentials for ${text}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile of AWS.`,
    );
  if (code === "ERR_SYSTEM_ERROR")
    // Thrown by os.homedir(), with which the SDK of AWS finds its profiles.
    return new Error(`No home directory for ${text}: the user of this process has none; set the variable HOME.`);
  if (skewCodes.includes(code))
    return new Error(
      `Wrong clock: the time of this machine differs from that of ${at}; synchronize it, and a storage of your own, too.`,
    );
  if (regionCodes.includes(code) || status === 301)
    return new Error(`Wrong region for ${text}: ${code}; set the parameter region to that of the bucket.`);
  if (error instanceof Error && error.message.startsWith("Region is missing"))
    return new Error(
      `No region for ${text}: set the parameter region, or AWS_REGION, and endpoint for a storage other than AWS.`,
    );
  const isDenied = status === 401 || status === 403 || accessCodes.includes(code) || /user.?not.?found/i.test(code);
  if (isDenied)
    return new Error(`Access to ${text} at ${at} denied: ${code}; check the access key, its secret and its rights.`);
  if (status === 0) return new Error(`Cannot reach the object storage at ${at}: ${code}; check the address.`);
  return new Error(`Cannot use ${text} at ${at}: ${code} (${status}).`);
}
