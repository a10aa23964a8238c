import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { writePieces } from "../../src/writer/rows-file.ts";

it("fails with the error of the rows while a write is in progress, and with no second error that nobody handles", async () => {
  const directory = await temporaryDirectory();
  async function* failing(): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < 5; piece += 1) {
      yield Buffer.alloc(10_000, "a");
      await new Promise((resolve) => setImmediate(resolve)); // opens the file
    }
    throw new Error("late");
  }
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on("uncaughtException", note);
  const never = new AbortController().signal;
  for (let file = 0; file < 50; file += 1)
    await expect(writePieces(join(directory, `${file}`), failing(), 1e9, never)).rejects.toThrow("late");
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.off("uncaughtException", note);
  await rm(directory, { recursive: true });
  expect(unhandled).toEqual([]);
});
