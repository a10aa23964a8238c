import type pg from "pg";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { findClockDifference, readClock } from "../../src/store/clock.ts";
import type { Queries } from "../../src/store/database.ts";

const machine = Date.UTC(2026, 10, 20, 12);

beforeEach(() => void vi.useFakeTimers({ now: machine }));
afterEach(() => void vi.useRealTimers());

/** Compares clocks; the answer of the database takes 1 second. */
function difference(database: number) {
  const query = async () => {
    vi.setSystemTime(machine + 1_000);
    return { rows: [{ now: database }] };
  };
  return findClockDifference({ query } as unknown as pg.Client);
}

it.each([-300_000, 0, 301_000])("accepts a clock of the database that differs by %i ms", async (ms) => {
  expect(await difference(machine + ms)).toBeUndefined();
});

it.each([
  [-300_001, "2026-11-20T11:54:59.999Z"],
  [301_001, "2026-11-20T12:05:01.001Z"],
])("returns both times if the clock of the database differs by %i ms", async (ms, database) => {
  expect(await difference(machine + ms)).toEqual({ database, machine: "2026-11-20T12:00:01.000Z" });
});

it("reads the clock of the database as a number", async () => {
  const rows = async () => [{ now: "1700000000000" }];
  expect(await readClock({ rows } as unknown as Queries)).toBe(1_700_000_000_000);
});
