import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { generate } from "../src/generate.ts";
import { filesBelow } from "../src/tree.ts";
import { createDocument } from "./support/document.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-check-"));
const root = join(folder, "tree");
const written = join(folder, "written");
const specFile = join(folder, "openrpc.json");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeSpec(document: object): void {
  writeFileSync(specFile, JSON.stringify(document));
}

const write = async () => (await generate({ specFile, root, check: false })).changes;

/** Returns the findings of a check, as `target path declaration kind source`. */
async function check(): Promise<readonly string[]> {
  const { changes } = await generate({ specFile, root, check: true });
  return changes.map((change) =>
    [change.target, change.path, change.declaration, change.kind, change.source].join(" "),
  );
}

/** Returns the document without its second method, and without references to it. */
function withoutDelete(): object {
  const { methods, ...document } = createDocument();
  return {
    ...document,
    methods: methods.slice(0, 1).map((method) => ({ ...method, links: [], "x-cancels": undefined })),
  };
}

function bytes(): ReadonlyMap<string, string> {
  return new Map(filesBelow(root, ".").map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

beforeAll(async () => {
  writeSpec(createDocument());
  await generate({ specFile, root: written, check: false });
});

beforeEach(() => {
  writeSpec(createDocument());
  rmSync(root, { recursive: true, force: true });
  cpSync(written, root, { recursive: true });
});

describe("a run", () => {
  it("writes the same bytes again", async () => {
    const first = bytes();
    rmSync(root, { recursive: true });
    await write();
    expect(first.size).toBeGreaterThan(20);
    expect(bytes()).toEqual(first);
  });

  it("writes nothing where nothing changed", async () => {
    const long = new Date("2020-01-01T00:00:00Z");
    const files = filesBelow(root, ".").map((file) => join(root, file));
    for (const file of files) utimesSync(file, long, long);
    expect(await write()).toEqual([]);
    expect(files.filter((file) => statSync(file).mtime.getTime() !== long.getTime())).toEqual([]);
  });

  it("writes only changed files", async () => {
    const document = createDocument();
    document.components.schemas.Color.description = "A colour.";
    writeSpec(document);
    const changes = await write();
    expect(changes.map(({ path }) => path).sort()).toEqual([
      "docs/reference/types.md",
      "packages/protocol/src/generated/types.ts",
      "tools/generator/generated.lock.json",
    ]);
  });

  it("removes files that are no longer generated", async () => {
    writeSpec(withoutDelete());
    await write();
    expect(filesBelow(root, "docs/reference/methods")).toEqual(["docs/reference/methods/notes-add-note.md"]);
    expect(await check()).toEqual([]);
  });
});

describe("a check", () => {
  it("finds nothing in a tree that was just written", async () => expect(await check()).toEqual([]));

  it("finds one changed word", async () => {
    const file = join(root, "packages/protocol/src/generated/types.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace("A note, with", "A note, without"));
    expect(await check()).toEqual([
      "protocol packages/protocol/src/generated/types.ts Note changed spec/openrpc.json#/components/schemas/Note",
    ]);
  });

  it("finds a changed line at the end of a declaration", async () => {
    const file = join(root, "packages/protocol/src/generated/methods.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace('"BoardIsFull" }', '"BoardFull" }'));
    expect(await check()).toEqual([
      "protocol packages/protocol/src/generated/methods.ts notesAddNote changed spec/openrpc.json#/methods/0",
    ]);
  });

  it("finds one changed description of the document, in every file that shows it", async () => {
    const document = createDocument();
    document.components.schemas.AddNoteParams.properties.text.description = "What it tells.";
    writeSpec(document);
    const source = "spec/openrpc.json#/components/schemas/AddNoteParams";
    expect(await check()).toEqual([
      `protocol packages/protocol/src/generated/types.ts AddNoteParams changed ${source}`,
      "cli packages/cli/src/generated/commands.ts notesAddNoteCommand changed spec/openrpc.json#/methods/0",
      `reference docs/reference/methods/notes-add-note.md Parameters changed ${source}`,
      `reference docs/reference/types.md AddNoteParams changed ${source}`,
      "lock tools/generator/generated.lock.json (whole file) changed spec/openrpc.json#",
    ]);
  });

  it("names a case of the corpus", async () => {
    const file = join(root, "spec/conformance/generated/notes-add-note.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("`text` is required", "`text` is needed"));
    expect(await check()).toEqual([
      "corpus spec/conformance/generated/notes-add-note.json notes-add-note/text/missing changed spec/openrpc.json#/components/schemas/AddNoteParams/required",
    ]);
  });

  it("reports a missing file, and writes it", async () => {
    rmSync(join(root, "packages/server/src/generated/handlers.ts"));
    expect(await check()).toEqual([
      "server packages/server/src/generated/handlers.ts (whole file) missing spec/openrpc.json#",
    ]);
    await write();
    expect(await check()).toEqual([]);
  });

  it("finds files that are no longer generated", async () => {
    writeSpec(withoutDelete());
    expect(await check()).toContain(
      "reference docs/reference/methods/delete.md (whole file) left over spec/openrpc.json#",
    );
  });

  it("does not trust the lock", async () => {
    const file = join(root, "packages/query-options/src/generated/options.ts");
    appendFileSync(file, "\n");
    writeFileSync(join(root, "tools/generator/generated.lock.json"), "not JSON");
    expect((await check()).map((line) => line.split(" ")[0])).toEqual(["query-options", "lock"]);
  });
});
