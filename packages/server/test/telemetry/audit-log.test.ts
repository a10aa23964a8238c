import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type AuditEvent, createRefusalThrottle, openAuditLog } from "../../src/telemetry/audit-log.ts";
import { onSmallDisk } from "../disk/small-disk.ts";
import { createTestClock } from "../fixture.ts";

onSmallDisk(20, "keeps lines whole on a full disk, as far as space can be freed", async ({ path, fill, empty }) => {
  let mayFree = false;
  const log = openAuditLog(path, {}, () => {
    if (mayFree) empty();
    return mayFree;
  });
  const event = { action: "run.create", tenantId: null, userId: null, keyId: null, address: "local" } as const;
  const record = (runId: string): void => log.record({ ...event, runId } satisfies AuditEvent, 0);
  record("first");
  await fill();
  // Longer than the rest of the last block of the file.
  expect(() => record("cut off".repeat(1_000))).toThrow(/ENOSPC|disk is full/);
  mayFree = true;
  record("second".repeat(1_000));
  record("third");
  log.close();
  const lines = readFileSync(join(path, "audit.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).runId)).toEqual(["first", "second".repeat(1_000), "third"]);
});

it("logs the first refusals of each minute, and counts the others", () => {
  const clock = createTestClock();
  const refusals = createRefusalThrottle(clock);
  const lines = Array.from({ length: 700 }, refusals).filter((line) => line !== undefined);
  expect(lines).toEqual(Array(600).fill({}));
  clock.advance(59_999);
  expect(refusals()).toBeUndefined();
  clock.advance(1);
  expect([refusals(), refusals()]).toEqual([{ suppressed: 101 }, {}]);
});
