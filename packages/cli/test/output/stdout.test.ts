import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { binary, quernOn, withoutWarnings } from "../quern.ts";

const mock = createMockServer();
mock.when("select one").rows([{ n: 1 }]);
let on: Awaited<ReturnType<typeof quernOn>>;
beforeAll(async () => {
  on = await quernOn(mock);
});
afterAll(() => on[Symbol.asyncDispose]());

const advice = "free space on its disk, or write to another one";
const message = "cannot write stdout: ENOSPC: no space left on device, write";

// Only Linux has the device.
describe.runIf(process.platform === "linux")("stdout on a full disk", () => {
  async function onFullDisk(words: readonly string[]) {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [binary, ...words], { env: on.env, stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    // It is a pipe, which the types do not tell for a descriptor beside it.
    const [, stderr] = await Promise.all([once(child, "exit"), text(child.stderr as Readable)]);
    return { status: child.exitCode, stderr: withoutWarnings(stderr) };
  }

  it.each([[["--version"]], [["version"]], [["--help"]], [["list-query-runs"]], [["query", "select one"]]])(
    "of quern %j is an error with the exit code 1",
    async (words) => {
      expect(await onFullDisk(words)).toEqual({ status: 1, stderr: `quern: ${message}; ${advice}\n` });
    },
  );

  it("is a JSON object with --json", async () => {
    const { status, stderr } = await onFullDisk(["query", "select one", "--json"]);
    expect([status, JSON.parse(stderr)]).toEqual([1, { kind: "unexpected", exitCode: 1, message, hint: advice }]);
  });

  it("is an error of --output, too", async () => {
    expect(await on.run(["query", "select one", "--output", "/dev/full"])).toEqual({
      status: 1,
      stdout: "",
      stderr: `quern: cannot write /dev/full: ENOSPC: no space left on device, write; ${advice}\n`,
    });
  });
});

// Windows has no limit of files.
describe.runIf(process.platform !== "win32")("a file on stdout that takes only the start of the output", () => {
  const folder = mkdtempSync(join(tmpdir(), "quern-stdout-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  /** Runs the help with stdout in a file of at most a number of blocks of 512 or 1,024 bytes. */
  const helpIn = (name: string, blocks: number) => {
    const command = `ulimit -f ${blocks}; exec "$0" "$1" --help > "$2"`;
    const path = join(folder, name);
    const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, binary, path], { encoding: "utf8" });
    return { status, stderr, output: readFileSync(path, "utf8") };
  };

  it("is an error, although the first write succeeded", () => {
    const whole = helpIn("whole.txt", 100);
    expect([whole.status, whole.stderr]).toEqual([0, ""]);
    const { status, stderr, output } = helpIn("cut.txt", 1);
    expect(whole.output.startsWith(output) && output.length > 0 && output.length < whole.output.length).toBe(true);
    expect([status, stderr]).toEqual([1, `quern: cannot write stdout: EFBIG: file too large, write; ${advice}\n`]);
  });
});
