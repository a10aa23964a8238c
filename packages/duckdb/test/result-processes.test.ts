import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineLostError } from "@quern/adapter";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../server/test/fixture.ts";
import type { Child, ChildOptions, startChild } from "../src/processes/child.ts";
import type { ProcessPoolOptions } from "../src/processes/process-pool.ts";
import type { PageTask } from "../src/reader/task.ts";

/** Process that the test ends, and whose calls it answers. */
interface Scripted {
  readonly options: ChildOptions;
  readonly calls: { readonly task: string; readonly argument: unknown; readonly signal: AbortSignal | undefined }[];
  isKilled: boolean;
  /** Ends the process, as if it had crashed. */
  end(): void;
}

let children: Scripted[];
let pools: ProcessPoolOptions[];
let answer: (task: string) => Promise<unknown>;
vi.mock("../src/processes/child.ts", async (load) => ({
  ...(await load<{ readonly startChild: typeof startChild }>()),
  startChild(options: ChildOptions): Child {
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    const end = (): void => resolve("SIGKILL");
    const scripted: Scripted = { options, calls: [], isKilled: false, end };
    children.push(scripted);
    const child = {
      pid: children.length,
      ready: Promise.resolve(),
      hasEnded: false,
      ended,
      limitDirectory: () => {},
      kill() {
        scripted.isKilled = true;
        child.hasEnded = true;
        end();
      },
      call(task: string, argument: unknown, signal?: AbortSignal) {
        scripted.calls.push({ task, argument, signal });
        return answer(task);
      },
    };
    return child as unknown as Child;
  },
}));
vi.mock("../src/processes/process-pool.ts", async (load) => {
  const module = await load<{ createProcessPool(options: ProcessPoolOptions): unknown }>();
  return {
    ...module,
    createProcessPool(options: ProcessPoolOptions) {
      pools.push(options);
      return module.createProcessPool(options);
    },
  };
});

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { createDownloads } = await import("../src/download/downloads.ts");
const { createResultWriter } = await import("../src/writer/writer.ts");
const { createTenantReaders } = await import("../src/reader/tenant-readers.ts");
const { createSharedReader } = await import("../src/reader/shared-reader.ts");
const { copyWriter } = await import("../src/reader/sorted-copy.ts");
const { createChildDirectory } = await import("../src/processes/child-directory.ts");

let workDirectory: string;
beforeEach(async () => {
  [children, pools] = [[], []];
  answer = async () => ({ maxPageSize: 1 });
  workDirectory = await temporaryDirectory();
});
afterEach(() => rm(workDirectory, { recursive: true, force: true }));

const { signal } = new AbortController();
const fileOf = ({ options }: Scripted) => options.module.pathname.split("/").slice(-2).join("/");

function taskOf(path: string): PageTask {
  return {
    result: "run_a.1",
    paths: [path],
    columns: [],
    rowCount: 40,
    maxBytes: 1_000,
    page: { number: 1, size: 2 },
    format: "csv",
    rowIndex: false,
    conditions: [],
    sortKeys: [],
  };
}

describe("the processes of downloads", () => {
  const task = (path: string) => ({ paths: [path], columns: [], rowCount: 1, totalBytes: 1, format: "csv" }) as const;

  it("have their limits, and write to a pipe", async () => {
    const path = join(workDirectory, "result.parquet");
    const downloads = createDownloads({ workDirectory, maxDownloads: 2, spillMegabytes: 10 });
    expect(pools[0]).toMatchObject({
      workDirectory,
      name: "download",
      maxIdleMs: 60_000,
      maxIdle: 4,
      maxIdleBytes: 400_000_000,
      maxUses: 100,
    });
    const download = await downloads.open("a", task(path));
    await download?.written;
    const [child] = children;
    expect(child && fileOf(child)).toBe("download/worker.js");
    expect(child?.options).toMatchObject({ kind: "download", maxMemoryBytes: 3_000_000_000 });
    const { directory } = child?.options ?? { directory: "" };
    expect(child?.calls).toEqual([
      {
        task: "download",
        argument: { ...task(path), spillMegabytes: 10, target: join(directory, "pipe") },
        signal: undefined,
      },
    ]);
    await Promise.all([download?.end(), download?.end()]);
    answer = () => new Promise(() => {});
    await (await downloads.open("a", task(path)))?.end();
    expect([children.length, child?.isKilled]).toEqual([1, true]); // it was ended before all bytes were written
    await downloads.close();
  });

  it("that cannot start leave their place to others", async () => {
    const file = join(workDirectory, "file");
    await writeFile(file, "");
    const downloads = createDownloads({ workDirectory: file, maxDownloads: 1, spillMegabytes: 10 });
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(downloads.open("a", task("missing"))).rejects.toThrow("ENOTDIR");
    await downloads.close();
  });
});

describe("the processes of filtered pages", () => {
  it("have their limits, and serve no page after they are closed", async () => {
    const readers = createTenantReaders({ workDirectory, spillMegabytes: 10, priority: "low" }, 6);
    expect(pools[0]).toMatchObject({
      workDirectory,
      name: "tenant-reader",
      maxIdleMs: 60_000,
      maxIdle: 4,
      maxIdleBytes: 400_000_000,
      maxUses: 500,
      spareDirectories: 10,
    });
    expect(await readers.page("a", taskOf("missing"), signal)).toEqual({ maxPageSize: 1 });
    expect(await readers.page("a", taskOf("missing"), signal)).toEqual({ maxPageSize: 1 });
    const [child] = children;
    expect(child && fileOf(child)).toBe("reader/page-worker.js");
    expect(child?.options).toMatchObject({
      kind: "page",
      maxMemoryBytes: 4_000_000_000,
      interruptGraceMs: 2_000,
      priority: "low",
    });
    expect(child?.calls.map(({ task, argument }) => [task, argument])).toEqual([
      ["open", { spillMegabytes: 10 }],
      ["page", taskOf("missing")],
      ["page", taskOf("missing")],
    ]);
    expect(child?.calls[1]?.signal).toBe(signal);
    await readers.close();
    expect(child?.isKilled).toBe(true);
    await expect(readers.page("a", taskOf("missing"), signal)).rejects.toThrow("The result reader is closed.");
  });

  it("are killed with the pages that they read when they are closed", async () => {
    const lost = Promise.withResolvers<unknown>();
    answer = (task) => (task === "page" ? lost.promise : Promise.resolve());
    const readers = createTenantReaders({ workDirectory, spillMegabytes: 10 }, 6);
    const page = readers.page("a", taskOf("missing"), signal);
    page.catch(() => {}); // awaited below
    await vi.waitFor(() => expect(children[0]?.calls).toHaveLength(2));
    const closing = readers.close();
    expect(children[0]?.isKilled).toBe(true);
    lost.reject(new EngineLostError("killed"));
    await closing;
    await expect(page).rejects.toThrow("killed");
  });
});

describe("the process of plain pages", () => {
  const directory = () => join(workDirectory, `reader-${process.pid}`);

  it("starts with the first page, has a longer time for an interrupt, and is started again after its end", async () => {
    await createSharedReader({ workDirectory, spillMegabytes: 10 }).close();
    expect(children).toEqual([]);
    const reader = createSharedReader({ workDirectory, spillMegabytes: 10 });
    expect(await reader.page(taskOf("missing"), signal)).toEqual({ maxPageSize: 1 });
    const [first] = children;
    expect(first?.options).toMatchObject({ directory: directory(), interruptGraceMs: 10_000, priority: "normal" });
    await reader.page(taskOf("missing"), signal);
    expect(children).toHaveLength(1);
    await reader.close();
    expect([first?.isKilled, existsSync(directory())]).toEqual([true, false]);
    await expect(reader.page(taskOf("missing"), signal)).rejects.toThrow("The result reader is closed.");
  });

  it("that cannot start is started by the next page", async () => {
    const file = join(workDirectory, "file");
    await mkdir(file);
    const reader = createSharedReader({ workDirectory: file, spillMegabytes: 10 });
    await reader.page(taskOf("missing"), signal);
    await rm(file, { recursive: true });
    await writeFile(file, "");
    const [first] = children;
    first?.end();
    await vi.waitFor(() => expect(reader.page(taskOf("missing"), signal)).rejects.toThrow("ENOTDIR"));
    await rm(file);
    expect(await reader.page(taskOf("missing"), signal)).toEqual({ maxPageSize: 1 });
    expect(children).toHaveLength(2);
    await reader.close();
  });
});

describe("the process of a sorted copy", () => {
  it("has its limits, and ends with the copy", async () => {
    const path = join(workDirectory, "result.parquet");
    const directory = await createChildDirectory(join(workDirectory, "sort"), undefined);
    await copyWriter({ spillMegabytes: 10, priority: "low" }, 7)(taskOf(path), directory, signal);
    const [child] = children;
    expect(child && fileOf(child)).toBe("reader/copy-worker.js");
    expect(child?.options).toMatchObject({
      kind: "copy",
      priority: "low",
      maxMemoryBytes: 3_000_000_000,
      maxDirectoryBytes: 10_000_007,
    });
    const task = taskOf(path);
    expect(child?.calls.map(({ task: name, argument }) => [name, argument])).toEqual([
      ["copy", { task, spillMegabytes: 10 }],
    ]);
    expect(child?.isKilled).toBe(true);
    await directory.remove();
  });

  it("is killed by an abort, and not started after one", async () => {
    const directory = await createChildDirectory(join(workDirectory, "sort"), undefined);
    const write = copyWriter({ spillMegabytes: 10 }, 7);
    await expect(write(taskOf("missing"), directory, AbortSignal.abort("before"))).rejects.toBe("before");
    expect(children).toEqual([]);
    const controller = new AbortController();
    answer = async () => {
      controller.abort("left");
      if (children[0]?.isKilled) throw new EngineLostError("killed");
    };
    await expect(write(taskOf("missing"), directory, controller.signal)).rejects.toThrow("killed");
    expect(children[0]?.options).toMatchObject({ priority: "normal" });
    await directory.remove();
  });
});

it("has a writer whose processes have their limits, and serve one tenant", async () => {
  const writer = createResultWriter({ workDirectory, spillMegabytes: 10 });
  expect(pools[0]).toMatchObject({
    workDirectory,
    name: "writer",
    maxIdleMs: 60_000,
    maxIdle: 2,
    maxIdleBytes: 300_000_000,
    maxUses: 200,
  });
  answer = (task) => (task === "open" ? Promise.resolve() : Promise.reject(new EngineLostError("lost")));
  async function* rows(): AsyncGenerator<readonly unknown[]> {
    yield [1];
  }
  const columns = [{ name: "n", engineType: "its own", storedType: "BIGINT" }];
  const caps = { maxResultBytes: 1_000, maxResultRows: 7 };
  await expect(writer.write({ form: "rows", columns, rows: rows() }, caps, signal, "a")).rejects.toThrow("lost");
  const [child] = children;
  expect(child && fileOf(child)).toBe("writer/worker.js");
  expect(child?.options).toMatchObject({ kind: "write", maxMemoryBytes: 3_000_000_000 });
  expect(child?.calls.map(({ task, argument }) => [task, argument])).toEqual([
    ["open", { spillMegabytes: 10 }],
    ["write", { encoding: "lines", columns, ...caps, file: "rows", isPipe: false }],
  ]);
  expect(child?.isKilled).toBe(true);
  await writer.close();
});
