import { createHash } from "node:crypto";

/** Record as a text that is equal in all stores. */
export interface CanonicalRecord {
  readonly id: string;
  readonly text: string;
}

/**
 * Digest of a set of records in any order. Its size does not depend on their number: each record is a part of one of
 * 4,096 hashes, so that a difference is searched among the records of a few hashes only.
 */
export interface Digest {
  readonly count: number;
  add(record: CanonicalRecord): void;
  /** Returns the hash of all records, hexadecimal. */
  hash(): string;
  /**
   * Returns a function that tests whether a record is part of a hash that differs from that of another digest.
   * @param maxHashes largest number of such hashes, which bounds the number of records
   */
  differsAt(other: Digest, maxHashes: number): (id: string) => boolean;
  /** Hashes, one after the other. */
  readonly bytes: Uint8Array;
}

const bucketCount = 4_096;
const hashBytes = 32;

export function createDigest(): Digest {
  const bytes = new Uint8Array(bucketCount * hashBytes);
  let count = 0;
  return {
    get count() {
      return count;
    },
    bytes,
    add({ id, text }) {
      const start = bucketOf(id) * hashBytes;
      // The exclusive or of hashes does not depend on their order.
      for (const [index, byte] of sha256(text).entries()) bytes[start + index] = (bytes[start + index] ?? 0) ^ byte;
      count += 1;
    },
    hash: () => createHash("sha256").update(bytes).digest("hex"),
    differsAt(other, maxHashes) {
      const differing = new Set<number>();
      for (const [index, byte] of bytes.entries())
        if (byte !== other.bytes[index] && differing.size < maxHashes) differing.add(Math.floor(index / hashBytes));
      return (id) => differing.has(bucketOf(id));
    },
  };
}

function bucketOf(id: string): number {
  return sha256(id).readUInt16BE() % bucketCount;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
