import { existsSync } from "node:fs";
import { readdir, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SortBy } from "@quern/protocol/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { readDatabases } from "../../../duckdb/test/sources/data.ts";
import { startServer, type TestServer } from "../fixture.ts";

let server: TestServer;
let queryRunId: string;
/** Logged messages. */
const failures: string[] = [];
beforeAll(async () => {
  const log = { error: (message: string) => void failures.push(message) };
  server = await startServer({ limits: { maxPageBytes: 100_000 }, log, kind: await oneProcessKind() });
  const sql =
    "select range as n, 'row ' || range as name, case when range % 10 = 0 then null else range % 10 end as digit from range(20000) order by n desc";
  ({ id: queryRunId } = await server.run(sql));
});
afterAll(() => server[Symbol.asyncDispose]());

describe("pages", () => {
  it("have the rows in the order of the query", async () => {
    const first = await server.results({ queryRunId, page: { number: 1, size: 2 } });
    expect(first.rows).toEqual([
      [19_999, "row 19999", 9],
      [19_998, "row 19998", 8],
    ]);
    expect(first.page).toEqual({ currentPageNumber: 1, currentPageSize: 2, totalRows: 20_000, totalPages: 10_000 });
    const last = await server.results({ queryRunId, page: { number: 10_000, size: 2 } });
    expect(last.rows).toEqual([
      [1, "row 1", 1],
      [0, "row 0", null],
    ]);
  });

  it("begin at an offset, with a sort order too", async () => {
    const names = async (page: object, sortBy: readonly SortBy[] = []) =>
      (await server.results({ queryRunId, page, sortBy })).rows?.map((row) => (row as unknown[])[0]);
    expect(await names({ offset: 3, size: 2 })).toEqual([19_996, 19_995]);
    expect(await names({ offset: 19_999, size: 2 })).toEqual([0]);
    expect(await names({ offset: 3, size: 2 }, [{ column: "n", direction: "asc" }])).toEqual([3, 4]);
    const both = server.results({ queryRunId, page: { number: 1, offset: 3 } });
    await expect(both).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/page/offset" }] },
    });
  });

  it("have 1,000 rows by default", async () => {
    const page = await server.results({ queryRunId });
    expect(page).toMatchObject({ format: "csv", columnNames: ["n", "name", "digit"], redirectedToQueryRun: null });
    expect(page.rows).toHaveLength(1_000);
    expect(page.originalQueryRun.id).toBe(queryRunId);
    expect(page.sql).toContain("from range(20000)");
  });

  it("are empty for size 0 and beyond the end", async () => {
    const none = await server.results({ queryRunId, page: { number: 1, size: 0 } });
    expect(none).toMatchObject({ rows: [], page: { currentPageSize: 0, totalRows: 20_000, totalPages: 0 } });
    const beyond = await server.results({ queryRunId, page: { number: 3, size: 10_000 } });
    expect(beyond).toMatchObject({ rows: [], page: { currentPageNumber: 3, totalRows: 20_000, totalPages: 2 } });
    const empty = await server.run("select 1 as n where false");
    expect(await server.results({ queryRunId: empty.id, page: { number: 1, size: 0 } })).toMatchObject({
      rows: [],
      columnNames: ["n"],
      page: { totalRows: 0, totalPages: 0 },
    });
  });

  it("that are too large are refused with a size that fits", async () => {
    const refused = server.results({ queryRunId, page: { number: 1, size: 20_000 } });
    const { code, data } = await refused.then(
      () => expect.unreachable(),
      (error) => error,
    );
    expect(code).toBe(-32170);
    expect(data.maxPageSize).toBeGreaterThan(1_000);
    const page = await server.results({ queryRunId, page: { number: 1, size: data.maxPageSize } });
    expect(page.rows).toHaveLength(data.maxPageSize);
  });

  it("of large rows are refused with a size that their rows have", async () => {
    const { id } = await server.run("select repeat('x', 40000) as text from range(500)");
    const refused = server.results({ queryRunId: id, page: { number: 2, size: 200 } });
    await expect(refused).rejects.toMatchObject({ code: -32170, data: { maxPageSize: 1 } });
    expect((await server.results({ queryRunId: id, page: { number: 9, size: 1 } })).rows).toHaveLength(1);
  });

  it("never have a row that is larger than a page may be, which harms no other page", async () => {
    const { id } = await server.run("select repeat('x', 1000000) as text, [range] as list from range(400)");
    const page = (params: object) => server.results({ queryRunId: id, ...params });
    const tooLarge = (rowNumber: number) => ({ code: -32174, data: { rowNumber } });
    const sortBy = [{ column: "list", direction: "desc" }];
    const answers = await Promise.allSettled([
      page({ page: { size: 400 } }),
      page({ page: { number: 2, size: 3 }, sortBy }),
      page({ page: { number: 5, size: 1 }, format: "json" }),
      server.results({ queryRunId, page: { size: 1 } }),
    ]);
    expect(answers).toMatchObject([
      { reason: tooLarge(0) },
      { reason: tooLarge(3) },
      { reason: tooLarge(4) },
      { value: { rows: [[19_999, "row 19999", 9]] } },
    ]);
  });

  it("of a corrupt file fail, of a missing file are expired; both are logged", async () => {
    const sql = "from range(10000)"; // smaller results are kept in the store
    const [broken, gone] = [await server.run(sql), await server.run(sql)];
    const file = ({ id }: { id: string }) => join(server.dataDir, "results", `${id}.1.parquet`);
    await writeFile(file(broken), "no longer Parquet");
    await rm(file(gone));
    await expect(server.results({ queryRunId: broken.id })).rejects.toMatchObject({ code: -32161 });
    await expect(server.results({ queryRunId: gone.id })).rejects.toMatchObject({ code: -32172 });
    expect(failures).toEqual(["getQueryRunResults failed", "getQueryRunResults failed"]);
  });

  it("that cannot be read for a moment are not taken for gone, nor are downloads", async () => {
    await using own = await startServer({ log: { error: () => {} }, limits: { maxSmallResultBytes: 0 } });
    const { id } = await own.run("select 1");
    const { url } = await own.call<{ url: string }>("getQueryRunDownload", { queryRunId: id, format: "csv" });
    const folder = join(own.dataDir, "results");
    await rename(folder, `${folder}-away`);
    await expect(own.results({ queryRunId: id })).rejects.toMatchObject({ code: -32161 });
    const refused = await fetch(url);
    expect([refused.status, await refused.json()]).toMatchObject([500, { error: { code: -32161 } }]);
    await rename(`${folder}-away`, folder);
    await own.reap();
    expect((await own.results({ queryRunId: id })).rows).toEqual([[1]]);
    expect((await fetch(url)).status).toBe(200);
  });

  it.runIf(existsSync("/proc/self/cwd"))(
    "are the service's failure while they have no process, and then go on",
    async () => {
      await using own = await startServer({ log: { error: () => {} }, limits: { maxSmallResultBytes: 0 } });
      const { id } = await own.run("from range(2)");
      const first = () => own.results({ queryRunId: id, page: { size: 1 } }); // all rows would be kept in memory
      expect((await first()).rows).toEqual([[0]]);
      const work = join(own.dataDir, "work");
      const reader = join(work, `reader-${process.pid}`);
      const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
      const cwds = await Promise.all(processes.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
      const pid = Number(processes[cwds.indexOf(reader)]);
      await rename(work, `${work}-away`);
      await writeFile(work, "");
      process.kill(pid, "SIGKILL");
      await expect(first()).rejects.toMatchObject({ code: -32161 });
      await rm(work);
      await rename(`${work}-away`, work);
      expect((await first()).rows).toEqual([[0]]);
    },
  );

  it("know two formats", async () => {
    const page = await server.results({ queryRunId, format: "json", page: { size: 1 } });
    expect(page.rows).toEqual([{ n: 19_999, name: "row 19999", digit: 9 }]);
    await expect(server.results({ queryRunId, format: "xlsx" })).rejects.toMatchObject({
      code: -32153,
      data: { supported: ["csv", "json"] },
    });
  });
});

describe("filters and order", () => {
  const ns = async (params: object): Promise<unknown[]> => {
    const page = await server.results({ queryRunId, page: { size: 5 }, ...params });
    return (page.rows ?? []).map((row) => (Array.isArray(row) ? row[0] : undefined));
  };

  it("work on the stored result", async () => {
    expect(await ns({ sortBy: [{ column: "n", direction: "asc" }] })).toEqual([0, 1, 2, 3, 4]);
    expect(await ns({ filters: [{ column: "n", gte: 5, lt: 8 }] })).toEqual([7, 6, 5]);
    expect(
      await ns({
        filters: [
          { column: "NAME", like: "row 1999_" },
          { column: "digit", in: [1, 3] },
        ],
      }),
    ).toEqual([19_993, 19_991]);
    expect(await ns({ filters: [{ column: "n", in_: [3, "4", null] }] })).toEqual([4, 3]);
    expect(
      await ns({
        filters: [
          { column: "n", lte: 12 },
          { column: "digit", eq: null },
        ],
      }),
    ).toEqual([10, 0]);
    expect(
      await ns({
        filters: [
          { column: "n", lte: 3 },
          { column: "digit", neq: null },
        ],
      }),
    ).toEqual([3, 2, 1]);
    expect(
      await ns({
        filters: [
          { column: "n", lt: 3 },
          { column: "digit", notIn: [1] },
        ],
      }),
    ).toEqual([2, 0]);
  });

  it("filter by thousands of values of all types", async () => {
    const even = Array.from({ length: 10_000 }, (_, n) => 2 * n);
    const few = { column: "n", lt: 4 };
    expect(await ns({ filters: [few, { column: "n", in: even }] })).toEqual([2, 0]);
    expect(await ns({ filters: [few, { column: "n", notIn: even }] })).toEqual([3, 1]);
    expect(await ns({ filters: [{ column: "n", in: [1, 2.5, "3", null] }] })).toEqual([3, 1]);
    expect(await ns({ filters: [few, { column: "name", in: ["row 2", "row 3"] }] })).toEqual([3, 2]);
    expect(await ns({ filters: [few, { column: "n", in: [] }] })).toEqual([]);
    await expect(ns({ filters: [{ column: "n", in: ["x"] }] })).rejects.toMatchObject({ code: -32602 });
  });

  it("ignore the comparisons that a client sends as null", async () => {
    const unused = { eq: null, neq: null, gt: null, gte: null, lt: null, lte: null, like: null, in: null, notIn: null };
    expect(await ns({ filters: [{ column: "n", ...unused, lt: 2 }] })).toEqual([1, 0]);
    expect(await ns({ filters: [{ column: "n", ...unused, in: [7] }] })).toEqual([7]);
    expect(await ns({ filters: [{ column: "digit", ...unused }], page: { size: 1 } })).toEqual([19_990]);
  });

  it("count the rows that are left, and keep equal rows in their order", async () => {
    const page = await server.results({
      queryRunId,
      page: { number: 2, size: 2 },
      filters: [{ column: "n", lt: 100 }],
      sortBy: [{ column: "digit", direction: "desc" }],
    });
    expect(page.page).toMatchObject({ totalRows: 100, totalPages: 50 });
    expect(page.rows).toEqual([
      [79, "row 79", 9],
      [69, "row 69", 9],
    ]);
  });

  it("take values as values", async () => {
    expect(await ns({ filters: [{ column: "name", eq: "' or 1=1 --" }] })).toEqual([]);
    const received = 'Conversion Error: Could not convert string "not a number" to DECIMAL(38,19)';
    await expect(ns({ filters: [{ column: "n", eq: "not a number" }] })).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/filters", received }] },
    });
    await expect(ns({ filters: [{ column: "n" }] })).rejects.toMatchObject({ code: -32602 });
  });

  it("name a column that is not there", async () => {
    const unknown = { code: -32156, data: { column: "nope", columns: ["n", "name", "digit"] } };
    await expect(ns({ filters: [{ column: "nope", eq: 1 }] })).rejects.toMatchObject(unknown);
    await expect(ns({ sortBy: [{ column: "nope", direction: "asc" }] })).rejects.toMatchObject(unknown);
  });

  it("compare beyond 2^53 by digits", async () => {
    const run = await server.run("select 170141183460469231731687303715884105727::hugeint - range as h from range(3)");
    const page = await server.results({
      queryRunId: run.id,
      filters: [{ column: "h", lt: "170141183460469231731687303715884105727" }],
      sortBy: [{ column: "h", direction: "asc" }],
    });
    expect(page.rows).toEqual([
      ["170141183460469231731687303715884105725"],
      ["170141183460469231731687303715884105726"],
    ]);
  });
});

it("pages are read from row groups of about 20,000 rows, in a result and in its sorted copies", async () => {
  const { id } = await server.run("select range as n from range(50000)");
  await server.results({ queryRunId: id, page: { number: 2, size: 5 }, sortBy: [{ column: "n", direction: "desc" }] });
  const groups = (file: string) =>
    readDatabases([], `SELECT DISTINCT row_group_num_rows FROM parquet_metadata('${file}') ORDER BY row_group_id`);
  expect(await groups(join(server.dataDir, "results", `${id}.1.parquet`))).toEqual([["20480"], ["9040"]]);
  const [copy = ""] = await readdir(join(server.dataDir, "cache", `${id}.1`));
  expect(await groups(join(server.dataDir, "cache", `${id}.1`, copy))).toEqual([["20480"], ["9040"]]);
});

it("csv rows end with their index where the operator has switched it on", async () => {
  await using old = await startServer({ csvRowIndex: true });
  const { id } = await old.run("select 'a' as x union all select 'b' order by x desc");
  const page = await old.results({ queryRunId: id, sortBy: [{ column: "x", direction: "asc" }] });
  expect(page).toMatchObject({ columnNames: ["x", "__row_index"], columnTypes: ["string", "number"] });
  expect(page.rows).toEqual([
    ["a", 1],
    ["b", 0],
  ]);
  expect((await old.results({ queryRunId: id, format: "json" })).rows).toEqual([{ x: "b" }, { x: "a" }]);
});
