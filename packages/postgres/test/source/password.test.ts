import type { SecretPlace, Source } from "@quern/adapter";
import { expect, it } from "vitest";
import { createSourceKind } from "../../src/source/source-kind.ts";

// Nothing listens on this port.
const address = "postgres://reader@127.0.0.1:1/shop";
const base = { name: "shop", provider: "test", kind: "postgres", path: null, lowerCaseColumns: false };
const password = { file: "/run/secrets/{user}" };

/** Lists the tables of a source for a user. Returns the error, and the secrets that were read before it. */
async function attempt(source: Source, userId: string) {
  const read: SecretPlace[] = [];
  const kind = createSourceKind({
    async secret(place) {
      read.push(place);
      return "";
    },
  });
  const signal = new AbortController().signal;
  const query = { source, tenantId: "t", userId, data: await kind.hold(source) };
  const error = await kind.tables?.(query, signal).catch((thrown: unknown) => thrown);
  await kind.close();
  return { read, error };
}

it("reads no file for a user whose id is not a name", async () => {
  const asUser: Source = { ...base, address: address.replace("reader", "quern_{user}"), runAs: "user", password };
  const asFixed: Source = { ...base, address, runAs: "fixed", password };
  for (const source of [asUser, asFixed])
    for (const userId of ["../../dev/zero", "a/b", "..", ".", "", "a\0b"])
      expect(await attempt(source, userId)).toMatchObject({ read: [], error: { failure: { name: "AccessDenied" } } });
});

it("reads no file for a user whose role would be too long", async () => {
  const source: Source = { ...base, address: address.replace("reader", "quern_{user}"), runAs: "user", password };
  const { read, error } = await attempt(source, "a".repeat(60));
  expect(error).toMatchObject({ failure: { name: "AccessDenied" } });
  expect(read).toEqual([]);
});

it("reads the file of a user", async () => {
  const source: Source = { ...base, address, runAs: "fixed", password };
  const { read, error } = await attempt(source, "ada@example.com");
  expect(read).toEqual([{ file: "/run/secrets/ada@example.com" }]);
  expect(error).toMatchObject({ name: "EngineLostError" });
});
