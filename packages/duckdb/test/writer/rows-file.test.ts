import { getEventListeners } from "node:events";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { itemsUntilAborted, type Piece, rowLines, startOf, writePieces } from "../../src/writer/rows-file.ts";

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

const never = new AbortController().signal;

async function* each<T>(...items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

const linesOf = (rows: readonly (readonly unknown[])[], maxRows = 10) =>
  Array.fromAsync(rowLines({ form: "rows", columns: [], rows: each(...rows) }, maxRows));

describe("rows as lines of JSON", () => {
  it("have every digit, the sign of -0.0, and null for what JSON lacks", async () => {
    const values = ['a "b"\n', 1.5, -0, Number.NaN, -Infinity, 9_007_199_254_740_993n, true, null, undefined];
    const others = [new Date(0), Buffer.from("hi"), [1n, [undefined]], { 'a "b"': { n: 2n, none: null } }, [], {}];
    expect(await linesOf([values, others, []])).toEqual([
      '["a \\"b\\"\\n",1.5,-0.0,"NaN","-Infinity",9007199254740993,true,null,null]\n' +
        '["1970-01-01T00:00:00.000Z","aGk=",[1,[null]],{"a \\"b\\"":{"n":2,"none":null}},[],{}]\n[]\n',
    ]);
  });

  it.each([
    ["symbol", Symbol("a")],
    ["function", () => {}],
  ])("have no %s", async (type, value) => {
    await expect(linesOf([[value]])).rejects.toThrow(
      new TypeError(`Unsupported value in a row: ${type}; use JSON values, bigints, dates or bytes`),
    );
  });

  it("come in pieces of 65,536 characters or more, except the last one", async () => {
    const row = (length: number) => ["x".repeat(length - '[""]\\n'.length + 1)];
    const pieces = await linesOf([row(65_535), row(10), row(65_536), row(8)]);
    expect(pieces.map((piece) => piece.length)).toEqual([65_545, 65_536, 8]);
    expect(await linesOf([])).toEqual([""]);
  });

  it("end with ResultTooLarge after the largest number of rows", async () => {
    expect(await linesOf([[1], [2]], 2)).toEqual(["[1]\n[2]\n"]);
    await expect(linesOf([[1], [2], [3]], 2)).rejects.toMatchObject({
      failure: { name: "ResultTooLarge", message: expect.stringContaining("more than 2 rows") },
    });
  });
});

describe("a source that ends with an abort", () => {
  /** Source that waits after its items, and whether it has ended. */
  function waiting(...items: readonly number[]) {
    const state = { returned: false };
    const source = {
      [Symbol.asyncIterator]: () => {
        const left = [...items];
        return {
          next: (): Promise<IteratorResult<number>> => {
            const value = left.shift();
            return value === undefined ? new Promise(() => {}) : Promise.resolve({ value, done: false });
          },
          return: (): Promise<IteratorResult<number>> => {
            state.returned = true;
            return Promise.reject(new Error("late"));
          },
        };
      },
    };
    return { state, source };
  }

  it("yields all items, and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await Array.fromAsync(itemsUntilAborted(each(1, 2, 3), signal))).toEqual([1, 2, 3]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("throws the reason while the source waits, and ends the source without waiting for it", async () => {
    const controller = new AbortController();
    const { state, source } = waiting(1);
    const items = itemsUntilAborted(source, controller.signal);
    expect(await items.next()).toEqual({ value: 1, done: false });
    const next = items.next();
    controller.abort("enough");
    await expect(next).rejects.toBe("enough");
    expect(state.returned).toBe(true);
    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  it("yields nothing after an abort that was before", async () => {
    await expect(itemsUntilAborted(each(1), AbortSignal.abort("before")).next()).rejects.toBe("before");
  });

  it("waits for the end of a source that its reader leaves", async () => {
    let ended = false;
    async function* source(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        await new Promise((resolve) => setImmediate(resolve));
        ended = true;
      }
    }
    for await (const _ of itemsUntilAborted(source(), never)) break;
    expect(ended).toBe(true);
    const broken = itemsUntilAborted(waiting(1).source, never);
    await broken.next();
    await expect(broken.return()).rejects.toThrow("late");
  });
});

describe("the start of a result", () => {
  it.each([
    ["less than 4 MB", ["x".repeat(3_999_998), Buffer.from("y")], false],
    ["4 MB", ["x".repeat(3_999_998), Buffer.from("yy"), "z"], true],
    ["4 MB of text in UTF-8", ["é".repeat(2_000_000), "z"], true],
    ["no rows", [], false],
  ] as const)("is %s, and no piece is lost", async (_, pieces, isLarge) => {
    const start = await startOf(each<Piece>(...pieces));
    expect(start.isLarge).toBe(isLarge);
    expect(await Array.fromAsync(start.pieces)).toEqual(pieces);
  });

  it("is read no further than it has to be", async () => {
    const source = each<Piece>("x".repeat(4_000_000), "y");
    await startOf(source);
    expect(await source.next()).toEqual({ value: "y", done: false });
  });
});

describe("a file of pieces", () => {
  it("has all pieces, and only its owner can read it", async () => {
    const path = join(directory, "pieces");
    const large = "x".repeat(100_000); // more than the buffer of the file's stream
    await writePieces(path, each<Piece>("é", large, Buffer.from([255])), 100_003, never);
    expect(await readFile(path, "latin1")).toBe(`${Buffer.from("é").toString("latin1")}${large}\xff`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("is refused beyond its largest size, and if a file of the name exists", async () => {
    await expect(writePieces(join(directory, "large"), each("abc", "de"), 4, never)).rejects.toMatchObject({
      failure: { name: "ResultTooLarge", message: expect.stringContaining("more than 4 bytes of text") },
    });
    await writeFile(join(directory, "old"), "old");
    await expect(writePieces(join(directory, "old"), each("a"), 4, never)).rejects.toThrow("EEXIST");
    expect(await readFile(join(directory, "old"), "utf8")).toBe("old");
  });

  it("ends with an abort", async () => {
    const write = writePieces(join(directory, "aborted"), each("a"), 4, AbortSignal.abort());
    await expect(write).rejects.toThrow("aborted");
  });

  it("fails with the error of the rows while a write is in progress, and with no second error that nobody handles", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      for (let piece = 0; piece < 5; piece += 1) {
        yield Buffer.alloc(10_000, "a");
        await new Promise((resolve) => setImmediate(resolve)); // opens the file
      }
      throw new Error("late");
    }
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("uncaughtException", note);
    for (let file = 0; file < 50; file += 1)
      await expect(writePieces(join(directory, `${file}`), failing(), 1e9, never)).rejects.toThrow("late");
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("uncaughtException", note);
    expect(unhandled).toEqual([]);
  });
});
