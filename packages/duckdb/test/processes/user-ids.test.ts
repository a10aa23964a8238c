import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { openUserIds, parseUserIds } from "../../src/processes/user-ids.ts";

it.each([
  ["90000-90255", 90_000, 90_255],
  ["1-1", 1, 1],
  ["1-4294967294", 1, 4_294_967_294],
])("reads the range %s", (text, first, last) => expect(parseUserIds(text)).toEqual({ first, last }));

it.each(["", "5", "0-5", "5-4", "1-4294967295", " 1-2", "1-2 ", "1-2-3", "-2", "1-", "a1-2", "1-2a", "1-12345678901"])(
  "refuses the range %j",
  (text) =>
    expect(() => parseUserIds(text)).toThrow(
      new Error(`Invalid range of user ids: ${text}; expected <first>-<last> above 0, such as 90000-90255.`),
    ),
);

it.runIf(process.platform === "linux")("leases no id that a process has", async () => {
  const own = process.geteuid?.() ?? 0;
  const userIds = await openUserIds({ first: own, last: own });
  await expect(userIds.lease()).rejects.toThrow(
    new Error(`No free user id: all of ${own}-${own} are in use; enlarge the range in the setting processUids.`),
  );
});

it.runIf(process.platform === "linux")("leases each id again that is released and has no processes", async () => {
  const range = { first: 4_100_000_001, last: 4_100_000_002 };
  const [userIds, others] = [await openUserIds(range), await openUserIds(range)];
  const first = await userIds.lease();
  const second = await others.lease();
  expect([first.id, second.id]).toEqual([range.first, range.last]);
  await expect(userIds.lease()).rejects.toThrow("No free user id");
  expect(await first.killProcesses()).toBe(true);
  await first.release();
  const again = await others.lease();
  expect(again.id).toBe(range.first);
  await second.release();
  const last = await userIds.lease();
  expect(last.id).toBe(range.last);
  for (const lease of [again, last]) await lease.release();
});

it.runIf(process.platform === "linux" && process.geteuid?.() === 0)(
  "leases no id again whose processes could not be killed",
  async () => {
    const userIds = await openUserIds({ first: 2_100_000_003, last: 2_100_000_003 });
    const lease = await userIds.lease();
    const child = spawn("sleep", ["60"], { uid: lease.id });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    await lease.release();
    kill.mockRestore();
    await expect(userIds.lease()).rejects.toThrow("No free user id");
    child.kill("SIGKILL");
    await once(child, "exit");
    await lease.release();
    await (await userIds.lease()).release();
  },
);
