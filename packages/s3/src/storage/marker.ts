import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { type Address, parseAddress, sourcePrefix } from "./address.ts";
import { isIgnored } from "./conditions.ts";
import { isMissing, isPreconditionFailed, startFailure } from "./failure.ts";
import type { Storage } from "./storage.ts";

const format = 1;
/** Storages refuse signatures whose time differs by 15 minutes, and a signed link ends earlier or later by the difference. */
const maxClockDifferenceMs = 5 * 60_000;

/** Object that says which service has the results of a prefix. */
interface Marker {
  readonly format: number;
  readonly serviceId: string;
}

function requestOf({ address: { bucket, prefix } }: Storage): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: bucket, Key: `${prefix}quern.json` };
}

export interface ClaimOptions {
  /** Address that had the results before. A prefix without the marker is then refused. */
  readonly previousUrl?: string | undefined;
  /** False claims nothing. @default true */
  readonly claims?: boolean;
}

/**
 * Checks that a storage can be used, and that its results belong to this service. Claims a prefix that is empty, or has
 * only data sources.
 * @param serviceId Id of the service, equal on all its servers. Undefined accepts the results of any service, and claims
 *   nothing.
 * @throws {Error} one line that says what is wrong
 */
export async function claimStorage(
  storage: Storage,
  serviceId: string | undefined,
  { previousUrl, claims = true }: ClaimOptions = {},
): Promise<void> {
  const { address } = storage;
  let owner: Marker | undefined;
  try {
    owner = await readMarker(storage);
    if (owner === undefined && previousUrl !== undefined)
      throw new RefusedError(
        `No results of this service in ${nameOf(address)}, which has no object quern.json: they were in ${nameOf(parseAddress(previousUrl))}; correct the address, or if they are lost, stop all servers and run quern migrate-store --abandon-results.`,
      );
    if (serviceId !== undefined && claims) owner ??= await writeMarker(storage, serviceId);
  } catch (error) {
    throw error instanceof RefusedError ? new Error(error.message) : startFailure(error, address);
  }
  if (owner !== undefined && owner.format > format)
    throw new Error(
      `The results in ${address.text} have the format ${owner.format} of a newer version of Quern; update this server.`,
    );
  if (serviceId !== undefined && owner !== undefined && owner.serviceId !== serviceId) {
    const advice =
      previousUrl === undefined
        ? "use another bucket or prefix"
        : `those of this service are in ${nameOf(parseAddress(previousUrl))}; correct the address`;
    throw new Error(`${address.text} has the results of another service; ${advice}.`);
  }
  const seconds = Math.round(storage.clockDifferenceMs() / 1_000);
  if (Math.abs(seconds) * 1_000 > maxClockDifferenceMs)
    throw new Error(
      `Wrong clock: this machine is ${Math.abs(seconds)} seconds ${seconds > 0 ? "behind" : "ahead of"} ${address.endpoint ?? "AWS"}; synchronize it, and a storage of your own, too.`,
    );
}

function nameOf({ text, endpoint }: Address): string {
  return `${text} at ${endpoint ?? "AWS"}`;
}

/** Reads the marker. Returns undefined if there is none. */
export async function readMarker(storage: Storage): Promise<Marker | undefined> {
  try {
    const { Body } = await storage.client.send(new GetObjectCommand(requestOf(storage)));
    const marker = parseMarker((await Body?.transformToString()) ?? "");
    if (marker === undefined)
      throw new RefusedError(
        `Invalid object quern.json in ${storage.address.text}: it was not created by Quern; use another bucket or prefix.`,
      );
    return marker;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Message that needs no further explanation. */
class RefusedError extends Error {}

function parseMarker(text: string): Marker | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("format" in value) || !("serviceId" in value))
      return undefined;
    const { format: version, serviceId } = value;
    return typeof version === "number" && typeof serviceId === "string" ? { format: version, serviceId } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the marker, unless another server writes it first. Returns the one that was written. */
async function writeMarker(storage: Storage, serviceId: string): Promise<Marker> {
  const { client, address } = storage;
  const found = await client.send(
    new ListObjectsV2Command({ Bucket: address.bucket, Prefix: address.prefix, Delimiter: "/", MaxKeys: 2 }),
  );
  // Data sources may have been loaded before the first server starts.
  const folders = (found.CommonPrefixes ?? []).filter(({ Prefix }) => Prefix !== sourcePrefix(address));
  if ((found.Contents ?? []).length + folders.length > 0) {
    const other = await readMarker(storage); // a server that starts at the same time has written it
    if (other !== undefined) return other;
    throw new RefusedError(`${address.text} has objects of something else; use an empty bucket or prefix.`);
  }
  if (await isIgnored(storage, "If-None-Match"))
    throw new RefusedError(
      `The object storage of ${address.text} ignores If-None-Match, so results could be overwritten; use a storage that supports it.`,
    );
  await putMarker(storage, { format, serviceId });
  const marker = await readMarker(storage);
  if (marker === undefined)
    throw new RefusedError(
      `The object storage of ${address.text} does not return the object quern.json, which was just written.`,
    );
  return marker;
}

/** Writes the marker unless it exists. */
async function putMarker(storage: Storage, marker: Marker): Promise<void> {
  try {
    const Body = JSON.stringify(marker);
    await storage.client.send(new PutObjectCommand({ ...requestOf(storage), Body, IfNoneMatch: "*" }));
  } catch (error) {
    if (!isPreconditionFailed(error)) throw error;
  }
}
