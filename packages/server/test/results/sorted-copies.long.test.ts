import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ServerLimits } from "@quern/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestClock, startServer, type TestServer } from "../fixture.ts";

const clock = createTestClock();
let server: TestServer;
let queryRunId: string;
beforeAll(async () => {
  server = await startServer({ clock, csvRowIndex: true });
  ({ id: queryRunId } = await server.run("select range as n, (range * 7919) % 30000 as shuffled from range(30000)"));
});
afterAll(() => server[Symbol.asyncDispose]());

const copies = () => join(server.dataDir, "cache", `${queryRunId}.1`);
const page = (number: number, more: object = {}) =>
  server.results({
    queryRunId,
    page: { number, size: 10_000 },
    sortBy: [{ column: "shuffled", direction: "desc" }],
    ...more,
  });

it("serve later pages of a sorted result with the same rows as without them", async () => {
  const first = await page(1);
  expect(existsSync(copies())).toBe(false);
  const third = await page(3);
  expect(await readdir(copies())).toHaveLength(1);
  const [copied] = await readdir(copies());
  const { ino } = await stat(join(copies(), copied ?? ""));
  const second = await page(2);
  expect((await stat(join(copies(), copied ?? ""))).ino).toBe(ino);
  expect(await page(1)).toEqual(first);
  const rows = [first, second, third].flatMap((each) => each.rows ?? []);
  expect(rows).toHaveLength(30_000);
  for (const [index, row] of rows.entries()) {
    const shuffled = 29_999 - index;
    expect(row).toEqual([expect.any(Number), shuffled, Array.isArray(row) ? row[0] : undefined]);
  }
  expect(third.page).toEqual({ currentPageNumber: 3, currentPageSize: 10_000, totalRows: 30_000, totalPages: 3 });
});

it("are written once for concurrent equal requests, and are limited in number", async () => {
  const filters = [{ column: "n", gte: 10_000 }];
  const answers = await Promise.all([1, 2, 2].map((number) => page(number, { filters })));
  expect(answers.map(({ page: shown }) => shown?.totalRows)).toEqual([20_000, 20_000, 20_000]);
  expect(answers[1]).toEqual(answers[2]);
  for (let least = 0; least < 9; least += 1)
    await page(2, { filters: [{ column: "n", gte: least }], page: { number: 2, size: 100 } });
  expect(await readdir(copies())).toHaveLength(8);
}, 120_000); // sorts 30,000 rows a dozen times

it("are not written while the disk is too full, and together use at most the space of one result", async () => {
  const madeBy = async (limits: ServerLimits): Promise<number> => {
    await server.stop();
    server = await startServer({ clock, dataDir: server.dataDir, limits, log: { error: () => {} } });
    const filters = [{ column: "n", gte: 100 }];
    expect((await page(2, { filters })).rows).toHaveLength(10_000);
    return (await readdir(copies())).length;
  };
  const before = await readdir(copies());
  expect(await madeBy({ maxDiskShare: 0.001 })).toBe(8);
  expect(await readdir(copies())).toEqual(before);
  const { size } = await stat(join(copies(), before[0] ?? ""));
  expect(await madeBy({ maxResultBytes: Math.round(2.5 * size) })).toBe(2);
}, 120_000); // starts the service twice, and sorts 30,000 rows

it("survive a restart with their result, and are removed with it", async () => {
  await server.stop();
  server = await startServer({ clock, dataDir: server.dataDir });
  expect(await readdir(copies())).toHaveLength(2);
  clock.advance(3_600_000);
  await server.reap();
  expect(await readdir(join(server.dataDir, "results"))).toEqual([]);
  expect(await readdir(join(server.dataDir, "cache"))).toEqual([]);
});
