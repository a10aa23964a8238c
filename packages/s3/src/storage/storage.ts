import { S3Client } from "@aws-sdk/client-s3";
import type { Address } from "./address.ts";

/** Bucket with the client that sends requests to it. */
export interface Storage {
  readonly client: S3Client;
  readonly address: Address;
  /** Returns the time of the storage minus that of this machine, at the last response, in milliseconds. */
  clockDifferenceMs(): number;
}

/** Time to connect, and the longest time without a byte of a response, in milliseconds. */
const timeouts = { connectionTimeout: 3_000, socketTimeout: 20_000 };
const maxAttempts = 4;

/** Creates a client. It takes credentials from the environment, profiles and roles of AWS, in the order of the AWS SDK. */
export function openStorage(address: Address): Storage {
  const { endpoint, pathStyle } = address;
  const region = address.region ?? (endpoint === undefined ? undefined : "us-east-1");
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    forcePathStyle: pathStyle,
    maxAttempts,
    requestHandler: timeouts,
    // Several storages that are compatible with S3 do not accept the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  let differenceMs = 0;
  client.middlewareStack.add(
    (next) => async (request) => {
      const answer = await next(request);
      const date = Date.parse(dateOf(answer.response));
      if (!Number.isNaN(date)) differenceMs = date - Date.now();
      return answer;
    },
    { step: "deserialize", priority: "low", name: "clockDifference" },
  );
  return { client, address, clockDifferenceMs: () => differenceMs };
}

/** Returns the header `date` of a response; an empty text without one. */
function dateOf(response: unknown): string {
  if (typeof response !== "object" || response === null || !("headers" in response)) return "";
  const { headers } = response;
  if (typeof headers !== "object" || headers === null || !("date" in headers)) return "";
  return String(headers.date);
}
