import { type Source, type SourceKind, StatementError } from "@quern/adapter";
import { expect, it } from "vitest";
import type * as Errors from "../../../adapter/src/error.ts";
import { createAdapterKind } from "../../src/sources/adapter-kind.ts";
import { guardKind } from "../../src/sources/guarded-kind.ts";
import { startServer } from "../fixture.ts";
import { arrayKind } from "./array-kind.ts";
import { samples } from "./array-tables.ts";

const source: Source = { name: "lake", provider: "test", kind: "arrays", path: null, lowerCaseColumns: false };
const context = { secret: async () => "", workDirectory: "/nowhere" };

it("loads the package when the first source of the kind is used, and checks the source", async () => {
  let loads = 0;
  const kind = createAdapterKind("arrays", "arrays-package", context, async () => {
    loads += 1;
    return {
      createSourceKind: () => arrayKind(samples),
      checkSource({ address }) {
        if (address !== undefined) throw new Error("Invalid address; remove it.");
      },
    };
  });
  expect(loads).toBe(0);
  expect(await kind.revision(source)).toBe("1");
  expect(await kind.revision(source)).toBe("1");
  expect(loads).toBe(1);
  await expect(kind.hold({ ...source, address: "a://b" })).rejects.toMatchObject({
    failure: { name: "InvalidDataSource", message: "The data source lake cannot be used: Invalid address; remove it." },
  });
  await kind.close();
});

it("finds a package that was installed after the first call", async () => {
  let isInstalled = false;
  const kind = createAdapterKind("arrays", "arrays-package", context, async () => {
    if (!isInstalled) throw new Error("Missing package");
    return { createSourceKind: () => arrayKind(samples), checkSource: () => {} };
  });
  await expect(kind.revision(source)).rejects.toThrow("Missing package");
  isInstalled = true;
  expect(await kind.revision(source)).toBe("1");
});

it("refuses to start with a source whose package is missing, and names the command that installs it", async () => {
  const sources = [{ name: "lake", provider: "quern", kind: "sqlite" }];
  const starting = startServer({ sources, adapters: { sqlite: "quern-sqlite-of-nobody" } });
  await expect(starting).rejects.toThrow(
    "Missing package of the source kind sqlite: quern-sqlite-of-nobody; install it: npm install quern-sqlite-of-nobody",
  );
});

it("refuses a password in the address of a source, and does not repeat it", async () => {
  const address = "trino://me:hunter2@localhost/tpch";
  const starting = startServer({ sources: [{ name: "lake", provider: "quern", kind: "trino", address }] });
  const message = await starting.then(
    () => "",
    (error: unknown) => String(error),
  );
  expect(message).toContain("Invalid address of the data source lake: the address contains a password");
  expect(message).not.toContain("hunter2");
});

it("passes the caller of an orphaned query to the package, also behind the guard", async () => {
  const calls: unknown[] = [];
  const given: SourceKind = { ...arrayKind(samples), cancel: async (...call) => void calls.push(call) };
  const kind = createAdapterKind("arrays", "arrays-package", context, async () => ({
    createSourceKind: () => given,
    checkSource: () => {},
  }));
  const reports = { known: () => {}, connectionFailed: () => {}, available: () => {} };
  const owner = { tenantId: "acme", userId: "ada" };
  await guardKind(kind, { log: { error: () => {} }, reports }).cancel(source, "query 1", owner);
  expect(calls).toEqual([[source, "query 1", owner]]);
});

it("recognises the errors of an adapter that has its own copy of @quern/adapter", async () => {
  const path = "../../../adapter/src/error.ts?copy";
  const copy: typeof Errors = await import(/* @vite-ignore */ path);
  expect(copy.StatementError).not.toBe(StatementError);
  const failure = {
    name: "SyntaxError",
    message: "Unknown statement",
    data: { category: "USER", retryable: false },
  } as const;
  const kind = createAdapterKind("arrays", "arrays-package", context, async () => ({
    createSourceKind: () => arrayKind(samples),
    checkSource() {
      throw new copy.StatementError(failure);
    },
  }));
  await expect(kind.hold(source)).rejects.toMatchObject({ failure });
});
