import { randomUUID } from "node:crypto";
import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { sourcePrefix } from "./address.ts";
import { isPreconditionFailed } from "./failure.ts";
import type { Storage } from "./storage.ts";

const conditions = { "If-None-Match": { IfNoneMatch: "*" }, "If-Match": { IfMatch: '"0"' } };

/**
 * Returns true if a storage replaces an object although the condition of the write is not met. The object of the test has
 * a name of its own, in the folder that a service which claims the storage ignores, and is removed.
 */
export async function isIgnored(
  { client, address }: Storage,
  condition: "If-None-Match" | "If-Match",
): Promise<boolean> {
  const object = { Bucket: address.bucket, Key: `${sourcePrefix(address)}condition-${randomUUID()}` };
  const written = { ...object, Body: "test" }; // the SDK warns of objects without content
  await client.send(new PutObjectCommand(written));
  try {
    await client.send(new PutObjectCommand({ ...written, ...conditions[condition] }));
    return true;
  } catch (error) {
    if (isPreconditionFailed(error)) return false;
    throw error;
  } finally {
    await client.send(new DeleteObjectCommand(object));
  }
}
