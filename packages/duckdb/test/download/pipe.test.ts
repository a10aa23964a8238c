import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { openPipe, type Pipe } from "../../src/download/pipe.ts";
import { bytesOf } from "./bytes-of.ts";

let directory: string;
let given: string[];
beforeEach(async () => {
  directory = await temporaryDirectory();
  given = [];
});
afterEach(() => rm(directory, { recursive: true }));

const open = (): Promise<Pipe> =>
  openPipe({ path: directory, ownPath: "/own", give: async (file) => void given.push(file) });
const path = () => join(directory, "pipe");
const read = ({ read: pieces }: Pipe) => bytesOf({ read: pieces, written: Promise.resolve() });

// Windows has no named pipes in directories.
describe.runIf(process.platform !== "win32")("a named pipe", () => {
  it("ends after the bytes that are written before its end, and is used again", async () => {
    for (const text of ["first", "second"]) {
      const pipe = await open();
      expect(pipe.path).toBe("/own/pipe");
      const whole = read(pipe);
      await writeFile(path(), text, { flag: "a" });
      pipe.finish();
      pipe.finish();
      expect((await whole).toString()).toBe(text);
      pipe.close();
      pipe.close();
    }
    expect(given).toEqual(["pipe"]);
  });

  it("rejects the read if it is closed before, or has been", async () => {
    const pipe = await open();
    const whole = read(pipe);
    pipe.close();
    await expect(whole).rejects.toThrow("The download was closed before its end.");
    await expect(pipe.read(() => {})).rejects.toThrow("The download was closed before its end.");
  });

  it("reads on once a chunk is released", async () => {
    const pipe = await open();
    const held: (() => void)[] = [];
    let isHolding = true;
    let bytes = 0;
    const whole = pipe.read((chunk, release) => {
      bytes += chunk.length;
      if (isHolding) held.push(release);
      else release();
    });
    const size = 400_000;
    const written = writeFile(path(), Buffer.alloc(size), { flag: "a" }).then(pipe.finish);
    await vi.waitFor(() => expect(held).toHaveLength(3));
    const before = bytes;
    isHolding = false;
    for (const release of held) release();
    await Promise.all([whole, written]);
    expect(before).toBeLessThan(size);
    expect(bytes).toBe(size);
    pipe.close();
  });
});

describe("without named pipes", () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform");
  beforeEach(() => void Object.defineProperty(process, "platform", { value: "win32" }));
  afterEach(() => void (platform && Object.defineProperty(process, "platform", platform)));

  it("the bytes of a file are read when it is complete", async () => {
    const pipe = await open();
    expect(pipe.path).toBe(path());
    await writeFile(pipe.path, "rows");
    const whole = read(pipe);
    pipe.finish();
    expect((await whole).toString()).toBe("rows");
    pipe.close();
    await expect(rm(path())).rejects.toThrow("ENOENT");
  });

  it("a file that is closed before is not read", async () => {
    const pipe = await open();
    const whole = read(pipe);
    pipe.close();
    await expect(whole).rejects.toThrow("aborted");
  });
});
