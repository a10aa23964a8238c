import { EngineLostError, type Source, type SourceKind, StatementError } from "@quern/adapter";
import { expect, it, vi } from "vitest";
import { createAdapterKind } from "../../src/sources/adapter-kind.ts";
import { idleKind } from "../fixture.ts";

const source: Source = { name: "lake", provider: "test", kind: "arrays", path: null, lowerCaseColumns: false };
const context = { secret: async () => "", workDirectory: "/nowhere" };
const query = { source } as Parameters<SourceKind["describe"]>[0];
const statement = { source } as Parameters<SourceKind["begin"]>[0];
const { signal } = new AbortController();

function loaded(inner: Partial<SourceKind> = {}, checkSource: (source: Source) => void = () => {}) {
  const createSourceKind = vi.fn(() => ({ ...idleKind, ...inner }));
  return {
    createSourceKind,
    kind: createAdapterKind("arrays", "arrays-package", context, async () => ({ createSourceKind, checkSource })),
  };
}

it("passes each call on to the adapter, which is created once with its services", async () => {
  const answer = <T>(value: T) => vi.fn(async () => value) as unknown as SourceKind[keyof SourceKind] & T;
  const inner = {
    revision: answer("7"),
    hold: answer({}),
    describe: answer({}),
    begin: answer({}),
    cancel: answer(undefined),
    tables: answer([]),
    complete: answer([]),
    close: answer(undefined),
  };
  const { kind, createSourceKind } = loaded(inner as unknown as Partial<SourceKind>);
  await kind.check(source);
  expect(await kind.revision(source)).toBe("7");
  await kind.hold(source);
  await kind.describe(query, signal);
  await kind.begin(statement, signal);
  await kind.cancel(source, "query 1");
  await kind.tables?.(query, signal);
  await kind.complete?.(query, 7, signal);
  await kind.close();
  const calls = Object.entries(inner).map(([name, method]) => [name, vi.mocked(method as () => void).mock.calls]);
  expect(Object.fromEntries(calls)).toEqual({
    revision: [[source]],
    hold: [[source]],
    describe: [[query, signal]],
    begin: [[statement, signal]],
    cancel: [[source, "query 1"]],
    tables: [[query, signal]],
    complete: [[query, 7, signal]],
    close: [[]],
  });
  expect(createSourceKind.mock.calls).toEqual([[context]]);
});

it("has no tables and no completions of an adapter without them", async () => {
  const { kind } = loaded();
  expect([await kind.tables?.(query, signal), await kind.complete?.(query, 7, signal)]).toEqual([[], []]);
});

it("needs no package to close, and closes after one that could not be loaded", async () => {
  const load = vi.fn(() => Promise.reject(new Error("Missing package")));
  const kind = createAdapterKind("arrays", "arrays-package", context, load);
  await kind.close();
  expect(load).not.toHaveBeenCalled();
  const used = kind.hold(source);
  await kind.close();
  await expect(used).rejects.toMatchObject({
    failure: {
      name: "InvalidDataSource",
      message: "The data source lake cannot be used: Missing package",
      data: { category: "DATA_SOURCE", retryable: false },
    },
  });
});

it.each([
  ["an error of the statement", new StatementError({ name: "X", message: "", data: { category: "USER" } })],
  ["a lost engine", new EngineLostError("lost")],
])("passes on %s by which a source is refused", async (_, error) => {
  const { kind } = loaded({}, () => {
    throw error;
  });
  await expect(kind.hold(source)).rejects.toBe(error);
  await expect(kind.check(source)).rejects.toBe(error);
});

it("describes what an adapter throws that is no error", async () => {
  const { kind } = loaded({}, () => {
    throw "a text";
  });
  await expect(kind.revision(source)).rejects.toMatchObject({
    failure: { message: "The data source lake cannot be used: a text" },
  });
});
