import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { withFileLock } from "../../src/files/file-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

let number = 0;
const newPath = () => join(folder, `${number++}.json`);

/** Makes the lock of a file as another process does, with this age. */
function held(path: string, ageMs: number): string {
  const lock = `${path}.lock`;
  mkdirSync(lock);
  const at = (Date.now() - ageMs) / 1_000;
  utimesSync(lock, at, at);
  return lock;
}

it.each([
  ["a path", (path: string) => path],
  ["a URL", (path: string) => pathToFileURL(path)],
])("holds the folder beside the file of %s during the work only", (_, of) => {
  const path = newPath();
  let isHeld: boolean | undefined;
  withFileLock(of(path), () => {
    isHeld = existsSync(`${path}.lock`);
  });
  expect([isHeld, existsSync(`${path}.lock`)]).toEqual([true, false]);
});

it("is released after work that fails, with its error", () => {
  const path = newPath();
  const work = () => {
    throw new Error("full");
  };
  expect(() => withFileLock(path, work)).toThrow("full");
  expect(existsSync(`${path}.lock`)).toBe(false);
});

it("takes a lock of more than 10 seconds for abandoned", () => {
  const path = newPath();
  const lock = held(path, 11_000);
  let works = 0;
  withFileLock(path, () => {
    works += existsSync(lock) ? 1 : 0;
  });
  expect([works, existsSync(lock)]).toEqual([1, false]);
});

it("waits until a lock of less than 10 seconds is released", async () => {
  const path = newPath();
  const lock = held(path, 5_000);
  const released = `${path}.released`;
  const script = `
  const { rmdirSync, writeFileSync } = require("node:fs");
  setTimeout(() => {
    writeFileSync(${JSON.stringify(released)}, "");
    rmdirSync(${JSON.stringify(lock)});
  }, 200);
  console.log("started");`;
  const other = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(other.stdout, "data");
  let wasReleased: boolean | undefined;
  withFileLock(path, () => {
    wasReleased = existsSync(released);
  });
  const [status] = await once(other, "close");
  expect([wasReleased, status]).toEqual([true, 0]);
});

it("fails at once if the folder of the file is missing", () => {
  let isWorking = false;
  const work = () => {
    isWorking = true;
  };
  expect(() => withFileLock(join(folder, "none", "a.json"), work)).toThrow("ENOENT");
  expect(isWorking).toBe(false);
});
