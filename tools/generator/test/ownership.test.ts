import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { generate } from "../src/generate.ts";
import { createDocument } from "./support/document.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-ownership-"));
const root = join(folder, "tree");
const specFile = join(folder, "openrpc.json");
const lock = "tools/generator/generated.lock.json";
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeSpec(methods = createDocument().methods): void {
  writeFileSync(specFile, JSON.stringify({ ...createDocument(), methods }));
}

/** Without the second method, so that its page is left over. */
const withoutDelete = () =>
  createDocument()
    .methods.slice(0, 1)
    .map((method) => ({ ...method, links: [], "x-cancels": undefined }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const read = (path: string) => readFileSync(join(root, path), "utf8");
const run = (check = false) => generate({ specFile, root, check });

/** Returns the findings of a check, as `path kind`. */
async function found(): Promise<readonly string[]> {
  const { changes } = await run(true);
  return changes.map(({ path, kind }) => `${path} ${kind}`);
}

const byHand = "docs/reference/methods/by-hand.md";
const leftOver = "docs/reference/methods/delete.md";

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  writeSpec();
});

describe("a run removes only files that the lock file lists", () => {
  it("and keeps a file by hand beside generated ones, with the reason", async () => {
    await run();
    write(byHand, "Mine.\n");
    writeSpec(withoutDelete() as never);
    const { changes, problem } = await run();
    expect({ kept: read(byHand), removed: !existsSync(join(root, leftOver)), problem }).toEqual({
      kept: "Mine.\n",
      removed: true,
      problem: undefined,
    });
    expect(changes.find(({ path }) => path === byHand)?.kind).toBe("foreign");
    expect(await found()).toEqual([`${byHand} foreign`]);
  });

  it("and keeps all files of a folder that it has never written to", async () => {
    write(byHand, "Mine.\n");
    expect((await run()).problem).toBe(`the lock file ${lock} is missing`);
    expect(read(byHand)).toBe("Mine.\n");
  });

  it.each([
    ["missing", () => rmSync(join(root, lock))],
    ["damaged", () => write(lock, '{ "spec": ')],
  ])("and so removes nothing where it is %s", async (state, spoil) => {
    await run();
    spoil();
    writeSpec(withoutDelete() as never);
    const { changes, problem } = await run();
    expect(problem).toBe(`the lock file ${lock} is ${state}`);
    expect(changes.find(({ path }) => path === leftOver)?.kind).toBe("foreign");
    expect(existsSync(join(root, leftOver))).toBe(true);
  });

  it("whatever paths outside of its folders the lock file lists", async () => {
    await run();
    write("docs/mine.md", "Mine.\n");
    const { outputs, ...rest } = JSON.parse(read(lock));
    write(
      lock,
      JSON.stringify({ ...rest, outputs: { ...outputs, "docs/mine.md": "", "docs/reference/../mine.md": "" } }),
    );
    writeSpec(withoutDelete() as never);
    await run();
    expect(read("docs/mine.md")).toBe("Mine.\n");
  });

  it("and removes the folder of the last file", async () => {
    await run();
    const { outputs, ...rest } = JSON.parse(read(lock));
    write("docs/reference/old/older/page.md", "Old.\n");
    write(lock, JSON.stringify({ ...rest, outputs: { ...outputs, "docs/reference/old/older/page.md": "" } }));
    await run();
    expect(existsSync(join(root, "docs/reference/old"))).toBe(false);
  });
});

describe("a run overwrites nothing that is not generated", () => {
  it("but names the file, and writes no other", async () => {
    write("docs/reference/README.md", "Mine.\n");
    await expect(run()).rejects.toThrow(
      "docs/reference/README.md is not a generated file and would be overwritten; move it, or choose another folder",
    );
    expect({ kept: read("docs/reference/README.md"), wrote: existsSync(join(root, "packages")) }).toEqual({
      kept: "Mine.\n",
      wrote: false,
    });
  });

  it("and follows no link out of the tree", async () => {
    const outside = join(folder, "outside");
    mkdirSync(outside, { recursive: true });
    mkdirSync(join(root, "docs/reference"), { recursive: true });
    symlinkSync(outside, join(root, "docs/reference/methods"), "junction");
    await expect(run()).rejects.toThrow("docs/reference/methods is not a generated file");
    expect(existsSync(join(outside, "delete.md"))).toBe(false);
  });
});

describe("a check", () => {
  it("finds empty folders and links", async () => {
    await run();
    mkdirSync(join(root, "docs/reference/empty/inside"), { recursive: true });
    symlinkSync(folder, join(root, "packages/client/src/generated/link"), "junction");
    expect(await found()).toEqual([
      "packages/client/src/generated/link foreign",
      "docs/reference/empty/inside foreign",
    ]);
  });

  it("finds a link to the text that a file should have, and a run replaces it", async () => {
    await run();
    const page = "docs/reference/README.md";
    writeFileSync(join(folder, "copy.md"), read(page));
    rmSync(join(root, page));
    symlinkSync(join(folder, "copy.md"), join(root, page));
    expect(await found()).toEqual([`${page} changed`]);
    await run();
    expect(await found()).toEqual([]);
    rmSync(join(root, page));
    symlinkSync(join(folder, "copy.md"), join(root, page));
    writeFileSync(join(folder, "copy.md"), "Elsewhere.\n");
    await run();
    expect([await found(), readFileSync(join(folder, "copy.md"), "utf8")]).toEqual([[], "Elsewhere.\n"]);
  });
});
