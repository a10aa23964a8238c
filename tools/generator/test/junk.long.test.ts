import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { SpecError } from "../src/faults.ts";
import { load } from "../src/load.ts";
import { mockAdminFile } from "../src/output-file.ts";
import { pointerBelow } from "../src/pointer.ts";
import { readServiceSettings } from "../src/service-settings.ts";
import { targets } from "../src/targets.ts";
import { documentWith } from "./seeds/seed.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-junk-"));
const file = join(folder, "openrpc.json");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const junk: readonly unknown[] = [
  undefined,
  null,
  true,
  -1.5,
  "",
  "x",
  "__proto__",
  "*/",
  [],
  [null],
  {},
  { $ref: "#/components/schemas/Item" },
  { $ref: "#/x" },
  { $ref: 7 },
  { type: "object" },
  { anyOf: [{}] },
];

/** Returns the pointers of all values of a document except the root. */
function pointersOf(value: unknown, pointer = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = pointerBelow(pointer, name);
    return [below, ...pointersOf(member, below)];
  });
}

/** Returns undefined if all targets are generated or the document is refused with a pointer, else the thrown error. */
function crashOf(pointer: string, value: unknown): string | undefined {
  writeFileSync(file, JSON.stringify(documentWith({ [pointer]: value })));
  try {
    const model = load(file);
    for (const target of targets) target.files(model, load(mockAdminFile), readServiceSettings());
  } catch (error) {
    if (error instanceof SpecError && error.faults.every((fault) => /^$|^\//.test(fault.pointer))) return undefined;
    return `${pointer} = ${JSON.stringify(value)}: ${error}`;
  }
  return undefined;
}

it("no value anywhere in a document ends the generator with anything but faults", () => {
  const pointers = pointersOf(documentWith());
  expect(pointers.length).toBeGreaterThan(100);
  // Each value stands in place of a third of the values, and each of these gets a third of them.
  const crashes = pointers.flatMap((pointer, index) =>
    junk.filter((_, at) => (index + at) % 3 === 0).map((value) => crashOf(pointer, value)),
  );
  expect(crashes.filter((crash) => crash !== undefined)).toEqual([]);
});
