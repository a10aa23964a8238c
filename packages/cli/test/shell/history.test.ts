import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { historyFile, historySize, openHistory } from "../../src/shell/history.ts";

it.each([
  ["default", { XDG_STATE_HOME: "/state" }, "linux", "/state/quern/history-default"],
  ["default", {}, "darwin", "/home/ann/.local/state/quern/history-default"],
  ["a/../b", { XDG_STATE_HOME: "relative" }, "linux", "/home/ann/.local/state/quern/history-a%2F..%2Fb"],
  ["default", { LOCALAPPDATA: "C:\\Local" }, "win32", "C:\\Local\\quern\\history-default"],
  ["default", {}, "win32", "\\home\\ann\\AppData\\Local\\quern\\history-default"],
] as const)("the file of %s with %j on %s is %s", (profile, env, platform, file) => {
  expect(historyFile(profile, { env, platform, home: "/home/ann" })).toBe(file);
});

async function folder(): Promise<string> {
  const created = await mkdtemp(join(tmpdir(), "quern-history-"));
  onTestFinished(() => rm(created, { recursive: true }));
  return created;
}

it("keeps entries for the next shell, for the user alone", async () => {
  const file = join(await folder(), "quern", "history-default");
  const history = await openHistory(file);
  expect(history.entries).toEqual([]);
  await history.add("select 1;");
  await history.add("select '日本';");
  expect((await openHistory(file)).entries).toEqual(["select '日本';", "select 1;"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await chmod(file, 0o644);
  await openHistory(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("bounds its file, and leaves out lines that would control the terminal", async () => {
  const file = join(await folder(), "history");
  await writeFile(file, `select '\u001b[2J';\n${Array.from({ length: 2_500 }, (_, n) => `select ${n};\n`).join("")}`);
  const { entries } = await openHistory(file);
  expect([entries.length, entries[0]]).toEqual([historySize, "select 2499;"]);
  expect((await readFile(file, "utf8")).split("\n")).toHaveLength(historySize + 1);
});

it("is empty if its file cannot be read or written", async () => {
  const file = join(await folder(), "a-file");
  await writeFile(file, "");
  const history = await openHistory(join(file, "history"));
  await history.add("select 1;");
  expect(history.entries).toEqual([]);
});
