import type { StatementRecord } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import { createStatementTexts } from "../../src/runs/statement-texts.ts";

/** Store of statements whose text starts with the tenant and the id; `gone` has none. */
function storeOf(length: number) {
  const statement = vi.fn(async (tenantId: string, id: string) => {
    if (id === "gone") return undefined;
    return { id, sql: `${tenantId} ${id}`.padEnd(length) } as StatementRecord;
  });
  return { statement };
}

it("reads the text of a statement once for each tenant", async () => {
  const store = storeOf(0);
  const texts = createStatementTexts(store);
  expect(await texts.of("a", "st_1")).toBe("a st_1");
  expect(await texts.of("a", "st_1")).toBe("a st_1");
  expect(await texts.of("b", "st_1")).toBe("b st_1");
  expect(store.statement.mock.calls).toEqual([
    ["a", "st_1"],
    ["b", "st_1"],
  ]);
});

it("is null for a statement that the store no longer has, which is read again", async () => {
  const store = storeOf(0);
  const texts = createStatementTexts(store);
  expect([await texts.of("a", "gone"), await texts.of("a", "gone")]).toEqual([null, null]);
  expect(store.statement).toHaveBeenCalledTimes(2);
});

it("keeps at most 10 million characters, of the texts that were read last", async () => {
  const store = storeOf(3_000_000);
  const texts = createStatementTexts(store);
  for (const id of ["1", "2", "3", "1", "4"]) await texts.of("a", id);
  expect(store.statement).toHaveBeenCalledTimes(4);
  await texts.of("a", "1");
  await texts.of("a", "4");
  expect(store.statement).toHaveBeenCalledTimes(4);
  await texts.of("a", "2");
  expect(store.statement).toHaveBeenCalledTimes(5);
});

it.each([
  ["10 million characters", 5_000_000, 2],
  ["one character more", 5_000_001, 4],
])("keeps texts of %s, or forgets the first", async (_, length, reads) => {
  const store = storeOf(length);
  const texts = createStatementTexts(store);
  store.statement.mockResolvedValueOnce({ id: "1", sql: "x".repeat(5_000_000) } as StatementRecord);
  for (const id of ["1", "2", "1", "2"]) await texts.of("a", id);
  expect(store.statement).toHaveBeenCalledTimes(reads);
});
