import { describe, expect, it } from "vitest";
import { claimStorage, readMarker } from "../../src/storage/marker.ts";
import { bodyOf, scriptedStorage, storageError } from "../scripted-storage.ts";

const text = "s3://bucket/prefix";
const markerKey = "prefix/quern.json";

interface Bucket {
  /** Text of the marker. */
  marker?: string;
  /** Answer to a list of the prefix. */
  readonly list?: object;
  /** True if the storage ignores the conditions of writes. */
  readonly ignores?: boolean;
  /** Called before each request. */
  readonly before?: (command: string, key: unknown) => void;
  readonly clockDifferenceMs?: number;
}

/** Storage with at most a marker. */
function storageOf(bucket: Bucket) {
  const keys = new Set<unknown>();
  return scriptedStorage((command, { Key, Body, IfNoneMatch }) => {
    bucket.before?.(command, Key);
    if (command === "ListObjectsV2") return bucket.list;
    if (command === "PutObject") {
      const exists = keys.has(Key) || (Key === markerKey && bucket.marker !== undefined);
      if (IfNoneMatch !== undefined && exists && bucket.ignores !== true) throw storageError("PreconditionFailed", 412);
      keys.add(Key);
      if (Key === markerKey) bucket.marker = String(Body);
    }
    if (command !== "GetObject") return undefined;
    if (bucket.marker === undefined) throw storageError("NoSuchKey", 404);
    return { Body: bodyOf([bucket.marker]) };
  }, bucket.clockDifferenceMs);
}

const markerOf = (serviceId: string, format = 1) => JSON.stringify({ format, serviceId });

describe("a claim", () => {
  it("writes the marker once, after a test of the storage that leaves nothing", async () => {
    const bucket: Bucket = { list: { CommonPrefixes: [{ Prefix: "prefix/sources/" }] } };
    const storage = storageOf(bucket);
    await claimStorage(storage, "service");
    expect(bucket.marker).toBe(markerOf("service"));
    const commands = storage.requests.map(([command]) => command);
    expect(commands).toEqual([
      "GetObject",
      "ListObjectsV2",
      "PutObject",
      "PutObject",
      "DeleteObject",
      "PutObject",
      "GetObject",
    ]);
    expect(storage.requests[1]?.[1]).toEqual({ Bucket: "bucket", Prefix: "prefix/", Delimiter: "/", MaxKeys: 2 });
    expect(storage.requests[5]?.[1]).toMatchObject({ Bucket: "bucket", Key: markerKey, IfNoneMatch: "*" });
    await claimStorage(storage, "service");
    expect(storage.requests).toHaveLength(8);
  });

  it.each([
    ["does not claim", "service", { claims: false }],
    ["has no id", undefined, {}],
  ])("is none of a service that %s", async (_, serviceId, options) => {
    const storage = storageOf({});
    await claimStorage(storage, serviceId, options);
    expect(storage.requests).toHaveLength(1);
  });

  it.each([
    [{ Contents: [{ Key: "prefix/a" }] }],
    [{ CommonPrefixes: [{ Prefix: "prefix/other/" }, { Prefix: "prefix/sources/" }] }],
  ])("is refused with objects of something else: %j", async (list) => {
    const message = `${text} has objects of something else; use an empty bucket or prefix.`;
    await expect(claimStorage(storageOf({ list }), "service")).rejects.toThrow(message);
  });

  it("accepts the marker of a server of the service that starts at the same time", async () => {
    const bucket: Bucket = {
      list: { Contents: [{ Key: markerKey }] },
      before: (command) => {
        if (command === "ListObjectsV2") bucket.marker = markerOf("service");
      },
    };
    await claimStorage(storageOf(bucket), "service");
    const late: Bucket = {
      before: (command) => {
        if (command === "DeleteObject") late.marker = markerOf("other");
      },
    };
    await expect(claimStorage(storageOf(late), "service")).rejects.toThrow("has the results of another service");
  });

  it("is refused in a storage that ignores conditions, or loses the marker", async () => {
    await expect(claimStorage(storageOf({ ignores: true }), "service")).rejects.toThrow("ignores If-None-Match");
    const lost: Bucket = {
      before: (command) => {
        if (command === "GetObject") delete lost.marker;
      },
    };
    await expect(claimStorage(storageOf(lost), "service")).rejects.toThrow(
      `The object storage of ${text} does not return the object quern.json, which was just written.`,
    );
  });

  it("fails with the reason for which the storage cannot be used", async () => {
    const refused = (command: string) =>
      storageOf({
        before: (each) => {
          if (each === command) throw storageError("AccessDenied", 403);
        },
      });
    for (const command of ["GetObject", "ListObjectsV2", "PutObject"])
      await expect(claimStorage(refused(command), "service")).rejects.toThrow(
        `Access to ${text} at https://storage.example.org/ denied: AccessDenied`,
      );
  });
});

describe("the results", () => {
  const previousUrl = "s3://old/results?endpoint=https://old.example.org";

  it("of another service are refused, with a hint to those of this one", async () => {
    const claim = (options = {}) => claimStorage(storageOf({ marker: markerOf("other") }), "service", options);
    await expect(claim()).rejects.toThrow(`${text} has the results of another service; use another bucket or prefix.`);
    await expect(claim({ previousUrl })).rejects.toThrow(
      `${text} has the results of another service; those of this service are in s3://old/results at https://old.example.org/; correct the address.`,
    );
    await claimStorage(storageOf({ marker: markerOf("other") }), undefined);
  });

  it("of a service that had others are not in a prefix without the marker", async () => {
    await expect(claimStorage(storageOf({}), "service", { previousUrl: "s3://old" })).rejects.toThrow(
      `No results of this service in ${text} at https://storage.example.org/, which has no object quern.json: they were in s3://old at AWS; correct the address`,
    );
  });

  it("of a newer version are refused", async () => {
    await claimStorage(storageOf({ marker: markerOf("service", 1) }), "service");
    await expect(claimStorage(storageOf({ marker: markerOf("service", 2) }), "service")).rejects.toThrow(
      `The results in ${text} have the format 2 of a newer version of Quern; update this server.`,
    );
  });

  it.each([
    "",
    "{",
    "null",
    "1",
    '{"format":1}',
    '{"serviceId":"a"}',
    '{"format":"1","serviceId":"a"}',
    '{"format":1,"serviceId":2}',
  ])("are not those of a marker such as %j", async (marker) => {
    const message = `Invalid object quern.json in ${text}: it was not created by Quern; use another bucket or prefix.`;
    await expect(claimStorage(storageOf({ marker }), "service")).rejects.toThrow(message);
  });

  it("have a marker with a format and a service", async () => {
    expect(await readMarker(storageOf({ marker: markerOf("a", 3) }))).toEqual({ format: 3, serviceId: "a" });
    expect(await readMarker(storageOf({}))).toBeUndefined();
  });
});

it.each([
  [300_499, undefined],
  [-300_499, undefined],
  [300_500, "301 seconds behind"],
  [-301_000, "301 seconds ahead of"],
])("a clock that differs by %i ms is wrong: %s", async (clockDifferenceMs, difference) => {
  const claim = claimStorage(storageOf({ marker: markerOf("service"), clockDifferenceMs }), "service");
  if (difference === undefined) await claim;
  else
    await expect(claim).rejects.toThrow(
      `Wrong clock: this machine is ${difference} https://storage.example.org/; synchronize it, and a storage of your own, too.`,
    );
});
