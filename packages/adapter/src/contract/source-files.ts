import assert from "node:assert/strict";
import type { SourceFiles } from "../source-files.ts";
import type { ContractCase } from "./contract-case.ts";

/** Empty storage of files of sources, opened twice, as two servers do. */
export interface SourceFilesContext {
  readonly files: SourceFiles;
  /** Second connection to the same storage, with copies of its own. */
  readonly another: SourceFiles;
  /** Writes a local file, and returns its path. */
  write(text: string): Promise<string>;
  /** Reads a local file. @throws if it does not exist */
  read(path: string): Promise<string>;
  /** Changes one byte of a stored file. */
  damage(name: string): Promise<void>;
  /** Starts to add a file, and ends as a crash does, before it is complete. */
  addIncomplete(name: string): Promise<void>;
  /** Lists the names of all stored files, and of those that are incomplete, in ascending order. */
  storedFiles(): Promise<readonly string[]>;
  /** Number of times that the content of a file was requested from the storage. */
  fetches(name: string): number;
}

const name = "shop/1-0a0a0a0a.duckdb";
const other = "shop/2-0b0b0b0b.duckdb";

/** Cases for the behaviour that the service relies on. Each case needs a storage of its own. */
export const sourceFilesContract: readonly ContractCase<SourceFilesContext>[] = [
  {
    name: "replaces the index only if it is the one that the caller has read",
    async run({ files, another }) {
      assert.equal(await files.index(), undefined);
      assert.equal(await files.replaceIndex(undefined, "one"), true);
      assert.equal(await another.replaceIndex(undefined, "late"), false);
      const read = await another.index();
      assert.equal(read?.text, "one");
      assert.equal(await another.replaceIndex(read, "two"), true);
      assert.equal(await files.replaceIndex(read, "three"), false);
      assert.equal((await files.index())?.text, "two");
    },
  },
  {
    name: "returns the known index while it is unchanged, and the new one at once on every server",
    async run({ files, another }) {
      await files.replaceIndex(undefined, "one");
      const known = await another.index();
      assert.ok(known);
      assert.equal(await another.index(known), known);
      await files.replaceIndex(await files.index(), "two");
      const after = await another.index(known);
      assert.equal(after?.text, "two");
      assert.notEqual(after?.version, known.version);
    },
  },
  {
    name: "lets one of several concurrent replacements win",
    async run({ files, another }) {
      await files.replaceIndex(undefined, "start");
      const before = await files.index();
      const texts = ["a", "b", "c", "d", "e", "f"];
      const won = await Promise.all(
        texts.map((text, nth) => (nth % 2 === 0 ? files : another).replaceIndex(before, text)),
      );
      assert.equal(won.filter(Boolean).length, 1);
      assert.equal((await files.index())?.text, texts[won.indexOf(true)]);
    },
  },
  {
    name: "opens a file that another server has added, with one fetch for many callers",
    async run({ files, another, write, read, fetches }) {
      const file = await files.add(name, await write("rows"));
      assert.deepEqual([file.name, file.bytes], [name, 4]);
      const opened = await Promise.all(Array.from({ length: 8 }, () => another.open(file)));
      for (const each of opened) assert.equal(await read(each?.path ?? ""), "rows");
      assert.equal(fetches(name), 1);
      for (const each of opened) await each?.release();
      await (await another.open(file))?.release();
      assert.equal(fetches(name), 1);
    },
  },
  {
    name: "refuses to replace a file",
    async run({ files, another, write }) {
      await files.add(name, await write("rows"));
      await assert.rejects(another.add(name, await write("more")), /exists/);
    },
  },
  {
    name: "returns undefined for a missing file, and rejects a damaged one",
    async run({ files, another, write, damage }) {
      const file = await files.add(name, await write("rows"));
      assert.equal(await another.open({ ...file, name: other }), undefined);
      await assert.rejects(another.open({ ...file, bytes: 5 }), /expected 5/);
      await damage(name);
      await assert.rejects(another.open(file), /checksum/);
    },
  },
  {
    name: "keeps a copy while it is in use, and removes it when it is released",
    async run({ files, write, read }) {
      const file = await files.add(name, await write("rows"));
      const [one, two] = [await files.open(file), await files.open(file)];
      await files.sweepCopies(() => false);
      await one?.release();
      await one?.release();
      assert.equal(await read(two?.path ?? ""), "rows");
      await two?.release();
      await assert.rejects(read(two?.path ?? ""));
    },
  },
  {
    name: "sweeps files that are not needed, and incomplete ones",
    async run({ files, write, addIncomplete, storedFiles }) {
      await files.replaceIndex(undefined, "index");
      for (const each of [name, other]) await files.add(each, await write(each));
      await addIncomplete("shop/3-0c0c0c0c.duckdb");
      const asked: string[] = [];
      await files.sweep((each, addedAt) => {
        asked.push(each);
        assert.ok(Math.abs(Date.now() - addedAt) < 600_000, `${each} was added at ${addedAt}`);
        return each === other;
      });
      assert.deepEqual(await storedFiles(), [other]);
      assert.deepEqual(asked.sort(), [name, other, "shop/3-0c0c0c0c.duckdb"]);
      assert.equal((await files.index())?.text, "index");
    },
  },
];
