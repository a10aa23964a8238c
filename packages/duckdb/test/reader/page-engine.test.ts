import { afterEach, expect, it, vi } from "vitest";
import { createPageEngine } from "../../src/reader/page-engine.ts";
import { openEngine } from "../../src/results/engine.ts";

vi.mock("../../src/results/engine.ts", async (original) => {
  const module = await original<typeof import("../../src/results/engine.ts")>();
  return {
    ...module,
    openEngine: vi.fn(async (...options: Parameters<typeof module.openEngine>) => {
      const engine = await module.openEngine(...options);
      return { ...engine, close: vi.fn(engine.close) };
    }),
  };
});
afterEach(() => vi.mocked(openEngine).mockClear());

const limits = { spillMegabytes: 10 };
/** Creates an engine for files whose names are the sizes of their footers. */
const createEngine = () => createPageEngine(limits, Number);
const opened = async () => Promise.all(vi.mocked(openEngine).mock.results.map(({ value }) => value));

it("gives a connection to one page at a time, and uses it again", async () => {
  const engine = createEngine();
  const [one, other] = [await engine.acquire(), await engine.acquire()];
  expect(one.connection).not.toBe(other.connection);
  await one.release();
  expect((await engine.acquire()).connection).toBe(one.connection);
  expect(await opened()).toHaveLength(1);
});

it("keeps the footers of files, and is replaced when it has too many, once its last page has ended", async () => {
  const engine = createEngine();
  const last = await engine.acquire();
  const settings = "SELECT current_setting('parquet_metadata_cache'), current_setting('threads')";
  expect((await last.connection.runAndReadAll(settings)).getRows()).toEqual([[true, 1n]]);
  engine.countFooter("20000000");
  engine.countFooter("20000000"); // the next page of the same result
  await (await engine.acquire()).release();
  expect(await opened()).toHaveLength(1);
  engine.countFooter("20000001");
  const next = await engine.acquire();
  const [first, second] = await opened();
  expect(first.close).not.toHaveBeenCalled();
  await last.connection.run("SELECT 1");
  await last.release();
  expect(first.close).toHaveBeenCalledTimes(1);
  await next.release();
  expect(second.close).not.toHaveBeenCalled();
});

it("opens before the first page, and closes an unused engine with more than 30 MB of footers at once", async () => {
  const engine = createEngine();
  await engine.open();
  expect(await opened()).toHaveLength(1);
  engine.countFooter("30000000");
  await engine.open();
  expect(await opened()).toHaveLength(1);
  engine.countFooter("1");
  await engine.open();
  const [first, second] = await opened();
  await vi.waitFor(() => expect(first.close).toHaveBeenCalledOnce());
  engine.countFooter("30000000"); // the new engine counts anew
  await (await engine.acquire()).release();
  expect(await opened()).toHaveLength(2);
  expect(second.close).not.toHaveBeenCalled();
});

it("uses no connection again that has failed, and does not count a page without one", async () => {
  const engine = createEngine();
  const broken = await engine.acquire();
  broken.connection.closeSync();
  await broken.release();
  const page = await engine.acquire();
  expect(page.connection).not.toBe(broken.connection);
  const [first] = await opened();
  first.connect = () => Promise.reject(new Error("no memory"));
  await expect(engine.acquire()).rejects.toThrow("no memory");
  engine.countFooter("30000001");
  await (await engine.acquire()).release();
  expect(first.close).not.toHaveBeenCalled();
  await page.release();
  expect(first.close).toHaveBeenCalledOnce();
});

it("runs nothing on a connection whose page has begun no stream", async () => {
  const engine = createEngine();
  const { connection, release } = await engine.acquire();
  const run = vi.spyOn(connection, "run");
  await release(false);
  expect(run).not.toHaveBeenCalled();
  expect((await engine.acquire()).connection).toBe(connection);
});

it("frees a stream that its page has not read to the end", async () => {
  const { connection, release } = await createEngine().acquire();
  const stream = await connection.stream("FROM range(1_000_000)");
  expect((await stream.fetchChunk())?.rowCount).toBe(2_048);
  await release();
  expect((await stream.fetchChunk())?.rowCount).toBe(0);
});
