import type { OpenedFile, SourceFile, SourceFiles } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openSharedSources, type SharedSources } from "../../src/sources/shared-sources.ts";
import { sourceNamed } from "./buckets.ts";

type Catalogs = readonly (readonly [name: string, file: string, bytes?: number])[];

const manifest = (source: string, version: number, catalogs: Catalogs = [], runAs?: string) => ({
  version: `${version}-0a0a0a0a`,
  catalogs: catalogs.map(([name, file, bytes = 10]) => ({
    name,
    tables: [],
    file: { name: `${source}/${file}.duckdb`, bytes, checksum: "0" },
  })),
  loads: [],
  runAs,
});

let text: string | undefined;
let answers: number;
let log: string[];
let isNeeded: ((name: string, addedAt: number) => boolean) | undefined;
let change: Partial<SourceFiles>;
let errors: unknown[];
let sources: SharedSources | undefined;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  [text, answers, log, isNeeded, change, errors] = [undefined, 0, [], undefined, {}, []];
});
afterEach(async () => {
  await sources?.close();
  sources = undefined;
  vi.useRealTimers();
});

const setIndex = (present: Record<string, object>) => {
  text = JSON.stringify({ format: 1, sources: present });
};
async function open(pollMs?: number): Promise<SharedSources> {
  const files: Partial<SourceFiles> = {
    address: "s3://b",
    maxCopyBytes: 100,
    async index(known) {
      answers += 1;
      return text === known?.text ? known : text === undefined ? undefined : { text, version: String(answers) };
    },
    async sweepCopies(needed) {
      isNeeded = needed;
      log.push("swept copies");
    },
    async sweep(needed) {
      isNeeded = needed;
      log.push("swept");
    },
    async open({ name }: SourceFile): Promise<OpenedFile | undefined> {
      log.push(`open ${name}`);
      return { path: `/copies/${name}`, release: async () => void log.push(`release ${name}`) };
    },
    close: async () => void log.push("closed"),
    ...change,
  };
  const onError = (error: unknown) => errors.push(error);
  sources = await openSharedSources({ files: files as SourceFiles, onError, ...(pollMs !== undefined && { pollMs }) });
  return sources;
}
/** Lets a poll that has begun end. */
const flushPromises = async () => {
  for (let later = 0; later < 20; later += 1) await Promise.resolve();
};

describe("the polls of a server", () => {
  it.each([
    [undefined, 5_000],
    [70, 70],
  ])("begin every %s ms, and show the sources until the next one", async (pollMs, ms) => {
    setIndex({ a: manifest("a", 1) });
    const server = await open(pollMs);
    const known = () => server.configurations().map(({ name, runAs }) => [name, runAs]);
    expect(known()).toEqual([["a", "fixed"]]);
    setIndex({ a: manifest("a", 2), b: manifest("b", 1, [["b", "1-0a0a0a0a"]], "user") });
    vi.advanceTimersByTime(ms - 1);
    await flushPromises();
    expect([known(), log]).toEqual([[["a", "fixed"]], []]);
    vi.advanceTimersByTime(1);
    await flushPromises();
    expect(known()).toEqual([
      ["a", "fixed"],
      ["b", "user"],
    ]);
    expect(["a", "b", "none"].map((name) => server.revision(sourceNamed(name)))).toEqual([
      "2-0a0a0a0a",
      "1-0a0a0a0a",
      "none",
    ]);
    expect(log).toEqual(["swept copies"]);
    const names = ["b/1-0a0a0a0a.duckdb", "b/1-0a0a0a0a.2.duckdb", "a/1-0a0a0a0a.duckdb", "c/1-0a0a0a0a.duckdb"];
    expect(names.map((name) => isNeeded?.(name, 0))).toEqual([true, false, false, false]);
  });

  it("report each outage once, and continue with the known sources", async () => {
    setIndex({ a: manifest("a", 1) });
    const server = await open(10);
    const poll = async (index?: string) => {
      text = index;
      vi.advanceTimersByTime(10);
      await flushPromises();
    };
    const present = text;
    await poll("no index");
    await poll("no index");
    expect([errors.length, server.configurations()[0]?.name]).toEqual([1, "a"]);
    await poll(present);
    await poll("no index");
    expect(errors).toHaveLength(2);
  });

  it("report copies that cannot be removed", async () => {
    const full = new Error("away");
    change.sweepCopies = () => Promise.reject(full);
    await open(10);
    vi.advanceTimersByTime(10);
    await flushPromises();
    expect(errors).toEqual([full]);
  });

  it("do not overlap, and end before the files are closed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    change.sweepCopies = async () => {
      log.push("sweep begins");
      await promise;
      log.push("sweep ends");
    };
    const server = await open(10);
    vi.advanceTimersByTime(10);
    await flushPromises();
    vi.advanceTimersByTime(100);
    await flushPromises();
    expect(log).toEqual(["sweep begins"]);
    const closed = server.close();
    await flushPromises();
    expect([log, vi.getTimerCount()]).toEqual([["sweep begins"], 0]);
    resolve();
    await closed;
    expect(log).toEqual(["sweep begins", "sweep ends", "closed"]);
    sources = undefined;
  });

  it("do not keep the server alive", async () => {
    vi.useRealTimers();
    const set = vi.spyOn(globalThis, "setInterval");
    await open(600_000);
    expect(set.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
    set.mockRestore();
  });
});

it("closes the files if the sources cannot be read at the start", async () => {
  text = "no index";
  await expect(open()).rejects.toThrow("Invalid index of data sources in s3://b");
  expect([log, vi.getTimerCount()]).toEqual([["closed"], 0]);
});

it("lists sources of the storage before others of the same name", async () => {
  setIndex({ b: manifest("b", 1, [], "user") });
  const server = await open();
  const others = ["a", "b"].map((name) => ({ name, provider: "quern", path: `/${name}` }));
  expect(server.configurations(others)).toEqual([
    { name: "a", provider: "quern", path: "/a", isDefault: false },
    { name: "b", provider: "quern", runAs: "user", isDefault: false },
  ]);
});

it("does not go back to an answer that arrives after that of a later request", async () => {
  setIndex({ a: manifest("a", 1) });
  const waiting: ((index: { text: string; version: string }) => void)[] = [];
  const server = await open();
  const indexOf = (version: number) => ({
    version: String(version),
    text: JSON.stringify({ format: 1, sources: { a: manifest("a", version) } }),
  });
  await server.close();
  change.index = () => new Promise((resolve) => waiting.push(resolve));
  const opening = open();
  waiting[0]?.(indexOf(1));
  const slow = await opening;
  const requests = [slow.refresh(), slow.refresh()];
  waiting[2]?.(indexOf(3));
  await requests[1];
  waiting[1]?.(indexOf(2));
  await requests[0];
  expect(slow.revision(sourceNamed("a"))).toBe("3-0a0a0a0a");
});

describe("the files of a source", () => {
  const two: Catalogs = [
    ["other", "1-0a0a0a0a.2"],
    ["a", "1-0a0a0a0a"],
  ];
  const opens = two.map(([, file]) => `open a/${file}.duckdb`);
  const releases = two.map(([, file]) => `release a/${file}.duckdb`);

  it("are held until they are released, the one with the name of the source first", async () => {
    setIndex({ a: manifest("a", 1, two) });
    const held = await (await open()).hold(sourceNamed("a"));
    expect(held).toMatchObject({
      revision: "1-0a0a0a0a",
      databases: [
        { name: "a", path: "/copies/a/1-0a0a0a0a.duckdb" },
        { name: "other", path: "/copies/a/1-0a0a0a0a.2.duckdb" },
      ],
    });
    expect(log).toEqual(opens);
    await held.release();
    expect(log).toEqual([...opens, ...releases]);
  });

  it.each<[string, () => Promise<undefined>, string, number]>([
    ["is missing", async () => undefined, "Missing file of the data source in s3://b: a; remove the source", 2],
    ["cannot be copied", () => Promise.reject(new Error("away")), "away", 1],
  ])("are released if one of them %s", async (_, fail, message, attempts) => {
    setIndex({ a: manifest("a", 1, two) });
    change.open = async ({ name }) => {
      log.push(`open ${name}`);
      if (!name.includes(".2.")) return fail();
      return { path: name, release: async () => void log.push(`release ${name}`) };
    };
    await expect((await open()).hold(sourceNamed("a"))).rejects.toThrow(message);
    expect(log).toEqual(
      Array(attempts)
        .fill([...opens, releases[0]])
        .flat(),
    );
  });

  it.each<[Catalogs, boolean]>([
    [[["a", "1-0a0a0a0a", 101]], true],
    [
      [
        ["a", "1-0a0a0a0a", 50],
        ["b", "1-0a0a0a0a.2", 50],
      ],
      true,
    ],
    [
      [
        ["a", "1-0a0a0a0a", 50],
        ["b", "1-0a0a0a0a.2", 51],
      ],
      false,
    ],
  ])("have space for their copies together: %j %s", async (catalogs, isHeld) => {
    setIndex({ a: manifest("a", 1, catalogs) });
    const held = (await open()).hold(sourceNamed("a"));
    if (isHeld) return expect(await held).toMatchObject({ databases: { length: catalogs.length } });
    const message =
      "The data source a is too large: its files have 101 bytes; the operator can raise maxSourceCacheBytes, which is 100.";
    await expect(held).rejects.toMatchObject({
      failure: { name: "DataSourceTooLarge", message, data: { category: "DATA_SOURCE", retryable: false } },
    });
  });

  it("of a removed source are not there, also under the name of no source", async () => {
    const server = await open();
    expect(await server.hold(sourceNamed("none"))).toMatchObject({ revision: "none", databases: [] });
    const failure = (name: string) => ({
      failure: {
        name: "DataSourceNotFound",
        message: `The data source ${name} no longer exists.`,
        data: { category: "DATA_SOURCE", retryable: false },
      },
    });
    await expect(server.hold(sourceNamed("a"))).rejects.toMatchObject(failure("a"));
    setIndex({ b: manifest("b", 1) });
    await expect(server.hold(sourceNamed("none"))).rejects.toMatchObject(failure("none"));
  });
});

it("sweeps files by their age and version, and none without an index", async () => {
  const server = await open();
  await server.sweep();
  expect(log).toEqual([]);
  setIndex({ a: manifest("a", 7, [["a", "7-0a0a0a0a"]]) });
  await server.sweep();
  expect(log).toEqual(["swept"]);
  const [minute, day] = [60_000, 24 * 3_600_000];
  const kept = (name: string, ageMs: number) => isNeeded?.(`${name}.duckdb`, Date.now() - ageMs);
  expect([
    kept("a/7-0a0a0a0a", 9 * day),
    kept("a/7-0b0b0b0b", 10 * minute - 1),
    kept("a/7-0b0b0b0b", 10 * minute),
    kept("a/6-0b0b0b0b", 10 * minute - 1),
    kept("a/6-0b0b0b0b", 10 * minute),
    kept("a/8-0b0b0b0b", day - 1),
    kept("a/8-0b0b0b0b", day),
    kept("new/1-0b0b0b0b", day - 1),
    kept("new/1-0b0b0b0b", day),
    kept("a/70-0b0b0b0b.2", day - 1),
  ]).toEqual([true, true, false, true, false, true, false, true, false, true]);
});
