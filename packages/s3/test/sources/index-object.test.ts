import { describe, expect, it } from "vitest";
import { readIndex, writeIndex } from "../../src/sources/index-object.ts";
import { bodyOf, scriptedStorage, storageError } from "../scripted-storage.ts";

const index = { Bucket: "bucket", Key: "prefix/sources/index.json" };
const known = { text: "old", version: '"1"' };
const throwing = (name: string, status: number) =>
  scriptedStorage(() => {
    throw storageError(name, status);
  });

describe("reading the index", () => {
  it("returns its text and version", async () => {
    const storage = scriptedStorage(() => ({ Body: bodyOf(["te", "xt"]), ETag: '"2"' }));
    expect(await readIndex(storage)).toEqual({ text: "text", version: '"2"' });
    expect(await readIndex(storage, known)).toEqual({ text: "text", version: '"2"' });
    expect(storage.requests).toEqual([
      ["GetObject", index],
      ["GetObject", { ...index, IfNoneMatch: '"1"' }],
    ]);
    expect(await readIndex(scriptedStorage(() => ({})))).toEqual({ text: "", version: "" });
  });

  it("returns the known one if it has not changed, also from a storage that ignores the condition", async () => {
    expect(await readIndex(throwing("NotModified", 304), known)).toBe(known);
    expect(
      await readIndex(
        scriptedStorage(() => ({ Body: bodyOf(["old"]), ETag: '"1"' })),
        known,
      ),
    ).toBe(known);
  });

  it("returns undefined if there is none, and fails with any other error", async () => {
    expect(await readIndex(throwing("NoSuchKey", 404), known)).toBeUndefined();
    await expect(readIndex(throwing("AccessDenied", 403), known)).rejects.toThrow("AccessDenied");
  });
});

describe("writing the index", () => {
  it("requires the version that was read", async () => {
    const storage = scriptedStorage(() => undefined);
    expect(await writeIndex(storage, known, "new")).toBe(true);
    const written = { ...index, ContentType: "application/json", Body: Buffer.from("new") };
    expect(storage.requests).toEqual([["PutObject", { ...written, IfMatch: '"1"' }]]);
  });

  it("tests the storage before the first index, which must not exist", async () => {
    const storage = scriptedStorage((command, { IfMatch, IfNoneMatch, Key }) => {
      if (command === "PutObject" && Key !== index.Key && (IfMatch ?? IfNoneMatch) !== undefined)
        throw storageError("PreconditionFailed", 412);
      return undefined;
    });
    expect(await writeIndex(storage, undefined, "new")).toBe(true);
    const puts = storage.requests.filter(([command]) => command === "PutObject").map(([, input]) => input);
    expect(puts.map(({ IfMatch, IfNoneMatch }) => [IfMatch, IfNoneMatch])).toEqual([
      [undefined, undefined] as const,
      [undefined, "*"] as const,
      [undefined, undefined] as const,
      ['"0"', undefined] as const,
      [undefined, "*"] as const,
    ]);
    expect(puts.at(-1)).toMatchObject(index);
    const [first, second] = storage.requests.filter(([command]) => command === "DeleteObject");
    expect([first?.[1].Key, second?.[1].Key]).toEqual([puts[0]?.Key, puts[2]?.Key]);
    expect(puts[0]?.Key).toMatch(/^prefix\/sources\/condition-[0-9a-f-]{36}$/);
  });

  it.each([
    ["PreconditionFailed", 412],
    ["ConditionalRequestConflict", 409],
    ["NoSuchKey", 404],
  ])("is refused if it has changed: %s", async (name, status) => {
    expect(await writeIndex(throwing(name, status), known, "new")).toBe(false);
  });

  it("fails with any other error, also of the test", async () => {
    await expect(writeIndex(throwing("AccessDenied", 403), known, "new")).rejects.toThrow("AccessDenied");
    const refusing = scriptedStorage((_command, { IfNoneMatch }) => {
      if (IfNoneMatch !== undefined) throw storageError("AccessDenied", 403);
      return undefined;
    });
    await expect(writeIndex(refusing, undefined, "new")).rejects.toThrow("AccessDenied");
    expect(refusing.requests.map(([command]) => command)).toEqual(["PutObject", "PutObject", "DeleteObject"]);
  });
});
