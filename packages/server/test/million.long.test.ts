import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "./fixture.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const rows = 1_000_000;
const size = 100_000;
const maxMegabytes = 250;

let dataDir: string;
let server: ServerProcess;
beforeAll(async () => {
  dataDir = await temporaryDirectory();
  server = await startServerProcess(dataDir);
});
afterAll(async () => {
  await server.end("SIGTERM");
  await rm(dataDir, { recursive: true, force: true });
});

it("serves a million rows, and the server's process stays small", async () => {
  const sql = `select range as n, 'name of row ' || range as name, range * 0.5 as half, date '2000-01-01' + (range % 9000)::int as day from range(${rows}) order by n`;
  const { id, state, rowCount, totalSize } = await server.run(sql);
  expect({ state, rowCount }).toEqual({ state: "QUERY_STATE_SUCCESS", rowCount: rows });

  let next = 0;
  for (let number = 1; number <= rows / size; number += 1) {
    const page = await server.results({ queryRunId: id, page: { number, size } });
    expect(page.rows).toHaveLength(size);
    for (const row of page.rows ?? []) {
      if (!Array.isArray(row) || row[0] !== next || row[1] !== `name of row ${next}`)
        expect.unreachable(`row ${next} is ${row}`);
      next += 1;
    }
    if (number === 1) expect(page.rows?.[0]).toEqual([0, "name of row 0", 0, "2000-01-01"]);
    if (number === rows / size)
      expect(page.rows?.at(-1)).toEqual([999_999, "name of row 999999", 499_999.5, "2002-09-26"]);
  }
  expect(next).toBe(rows);

  const { VmRSS, VmHWM } = memoryMegabytes(server.process.pid ?? 0);
  console.log(`a million rows (${totalSize} bytes stored): the server's process had ${VmRSS} MB, at most ${VmHWM} MB`);
  expect(VmHWM).toBeLessThan(maxMegabytes);
});

it("refuses all of them in one page, and returns the largest page size", async () => {
  const { id } = await server.run(`select range as n, repeat('x', 100) as text from range(${rows})`);
  const { data } = await server.results({ queryRunId: id, page: { number: 1, size: rows } }).then(
    () => expect.unreachable(),
    (error) => error,
  );
  const page = await server.results({ queryRunId: id, page: { number: 1, size: data.maxPageSize } });
  expect(page.rows).toHaveLength(data.maxPageSize);
  const { VmHWM } = memoryMegabytes(server.process.pid ?? 0);
  console.log(`a page of ${data.maxPageSize} rows, close to the byte bound: at most ${VmHWM} MB`);
  expect(VmHWM).toBeLessThan(maxMegabytes);
});

/** Returns the figure of the kernel; undefined without /proc, and then nothing is checked. */
function memoryMegabytes(pid: number): { VmRSS: number; VmHWM: number } {
  let status = "";
  try {
    status = readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {}
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1_000);
  return { VmRSS: megabytes("VmRSS"), VmHWM: megabytes("VmHWM") };
}
