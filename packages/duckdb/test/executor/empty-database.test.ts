import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createEngineStart } from "../../src/executor/empty-database.ts";
import type { ChildDirectory } from "../../src/processes/child-directory.ts";
import { fakeChild } from "../processes/fake-child.ts";

let work: string;
let opened: unknown[][];
beforeEach(async () => {
  work = await temporaryDirectory();
  opened = [];
});
afterEach(() => rm(work, { recursive: true }));

const settings = { threads: 1, memoryMegabytes: 2, spillMegabytes: 3, isolation: "user" } as const;

/** Returns a directory, in which the first process has created its database if it has a text. */
async function newDirectory(name: string, database?: string) {
  const path = join(work, name);
  await mkdir(path);
  if (database !== undefined) await writeFile(join(path, "memory.duckdb"), database, { mode: 0o600 });
  const shared: unknown[][] = [];
  const share: ChildDirectory["share"] = (...file) => {
    shared.push(file);
    return { path: `shared ${name}`, release: () => {} };
  };
  return { path, ownPath: `own ${name}`, userId: undefined, share, shared } as unknown as ChildDirectory & {
    readonly shared: unknown[][];
  };
}
/** Returns a child whose engine is open when the promise resolves. */
const childAfter = (opens: () => Promise<void>) =>
  fakeChild({
    call: async (...task) => {
      opened.push(task);
      await opens();
    },
  });
const optionsOf = (name: string, emptyDatabase?: string) => ({ ...settings, directory: `own ${name}`, emptyDatabase });

it("copies the database of the first process for all later ones, before a statement runs", async () => {
  const start = createEngineStart(work);
  const { promise, resolve } = Promise.withResolvers<void>();
  const [first, second, third] = [
    await newDirectory("1", "empty"),
    await newDirectory("2"),
    await newDirectory("3", "other"),
  ];
  start.open(
    childAfter(() => promise),
    first,
    settings,
  );
  start.open(
    childAfter(async () => {}),
    second,
    settings,
  ); // the first one has not yet created its database
  let isCopied = false;
  const copied = start.copied().then(() => {
    isCopied = true;
  });
  await new Promise((next) => setImmediate(next));
  expect(isCopied).toBe(false);
  const umask = process.umask(0o077); // as an operator may set it
  resolve();
  await copied;
  process.umask(umask);
  expect(await readFile(join(work, "memory.duckdb"), "utf8")).toBe("empty");
  expect((await stat(join(work, "memory.duckdb"))).mode & 0o777).toBe(0o644);
  expect(await readdir(work)).toEqual(["1", "2", "3", "memory.duckdb"]);
  start.open(
    childAfter(async () => {}),
    third,
    settings,
  );
  expect(opened).toEqual([
    ["open", optionsOf("1")],
    ["open", optionsOf("2")],
    ["open", optionsOf("3", "shared 3")],
  ]);
  expect([first, second, third].map(({ shared }) => shared)).toEqual([
    [],
    [],
    [[join(work, "memory.duckdb"), "memory.duckdb"]],
  ]);
  await rm(join(work, "memory.duckdb"));
  await start.copied();
  expect(await readdir(work)).toEqual(["1", "2", "3"]); // nothing was copied again
});

it("copies the database of the next process after one that did not open its engine", async () => {
  const start = createEngineStart(work);
  const failing = childAfter(() => Promise.reject(new Error("no memory")));
  start.open(failing, await newDirectory("1", "of the first"), settings);
  await start.copied();
  expect(await readdir(work)).toEqual(["1"]);
  start.open(
    childAfter(async () => {}),
    await newDirectory("2", "of the second"),
    settings,
  );
  await start.copied();
  expect(await readFile(join(work, "memory.duckdb"), "utf8")).toBe("of the second");
  start.open(failing, await newDirectory("3"), settings); // its first task fails with the error
  await start.copied();
});
