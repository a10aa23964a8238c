import { expect, it, vi } from "vitest";
import { createDiskRoom, diskUse, examineDisk } from "../../src/scheduler/disk-room.ts";
import { createScheduler } from "../../src/scheduler/scheduler.ts";
import { startServer, temporaryDirectory } from "../fixture.ts";
import { createRoom } from "./room.ts";

it("lets no run begin while the disk is too full, and tells the operator once each time", async () => {
  const ran: string[] = [];
  const room = createRoom((sql) => void ran.push(sql));
  let usedShare = 0.96;
  let asked = 0;
  const use = async () => {
    asked += 1;
    return { usedShare, freeBytes: 1 };
  };
  const hasRoom = createDiskRoom("/data", room.log, 0.95, use);
  const scheduler = createScheduler({ ...room, maxRunningRuns: 2, hasRoom });
  const id = await room.submit();
  await scheduler.start();
  await vi.waitUntil(() => asked === 1);
  await room.submit();
  await vi.waitUntil(() => asked === 2);
  expect(await room.stateOf(id)).toBe("QUERY_STATE_READY");
  expect(room.told).toEqual(["no run is begun until the disk has room again"]);

  usedShare = 0.95;
  await room.submit();
  await vi.waitUntil(() => ran.length === 3);
  await vi.waitUntil(async () => (await room.stateOf(id)) === "QUERY_STATE_SUCCESS");
  usedShare = 1;
  expect(await hasRoom()).toBe(false);
  expect(room.told).toHaveLength(2);
  await scheduler.close();
});

it("asks the disk of the data directory", async () => {
  const { usedShare, freeBytes } = await diskUse(await temporaryDirectory());
  expect(usedShare).toBeGreaterThan(0);
  expect(usedShare).toBeLessThanOrEqual(1);
  expect(freeBytes).toBeGreaterThan(0);
  const report = await examineDisk("/", -1);
  expect(report).toMatchObject({ hasRoom: false, meaning: expect.stringContaining("No run is begun") });
});

it("is what a server's runs wait for", async () => {
  const log = { error: vi.fn() };
  await using server = await startServer({ limits: { maxDiskShare: 0.001 }, log });
  const { queryRun } = await server.create({ sql: "select 1" });
  await vi.waitUntil(() => log.error.mock.calls.length > 0);
  expect(await server.get(queryRun.id)).toMatchObject({ state: "QUERY_STATE_READY" });
});
