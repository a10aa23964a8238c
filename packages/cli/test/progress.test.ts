import { expect, it } from "vitest";
import { createProgress } from "../src/progress.ts";

function stream(isTTY: boolean) {
  const written: string[] = [];
  // Only what progress uses of a stream.
  return {
    written,
    stderr: { isTTY, write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream,
  };
}

it("shows one line at a time on a terminal and leaves nothing behind", () => {
  const { written, stderr } = stream(true);
  const progress = createProgress(stderr);
  progress.show("run_1 is queued");
  progress.show("run_1 is running");
  progress.clear();
  progress.clear();
  expect(written).toEqual(["run_1 is queued", "\r\u001b[K", "run_1 is running", "\r\u001b[K"]);
});

it("is silent where nobody looks", () => {
  const { written, stderr } = stream(false);
  const progress = createProgress(stderr);
  progress.show("run_1 is queued");
  progress.clear();
  expect(written).toEqual([]);
});
