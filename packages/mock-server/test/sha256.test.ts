import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "../src/sha256.ts";

test.each(["", "abc", "ü😀", ...[55, 56, 63, 64, 65, 119, 120, 1000].map((length) => "x".repeat(length))])(
  "the hash of %j is that of every other implementation",
  (text) => expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex")),
);
