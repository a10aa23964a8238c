import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SpecError } from "../src/faults.ts";
import { load } from "../src/load.ts";
import { documentSeeds } from "./seeds/document-seeds.ts";
import { errorSeeds } from "./seeds/error-seeds.ts";
import { methodSeeds } from "./seeds/method-seeds.ts";
import { nameSeeds } from "./seeds/name-seeds.ts";
import { schemaSeeds } from "./seeds/schema-seeds.ts";
import { textOf } from "./seeds/seed.ts";
import { workingSeeds } from "./seeds/working-seeds.ts";

const folder = mkdtempSync(join(tmpdir(), "quern-seeds-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the faults of a refused document; empty for a valid one. */
function faultsOf(text: string) {
  const file = join(folder, "openrpc.json");
  writeFileSync(file, text);
  try {
    load(file);
    return [];
  } catch (error) {
    if (error instanceof SpecError) return error.faults;
    throw error;
  }
}

it("the base of the seeds has no fault", () => expect(faultsOf(textOf({}))).toEqual([]));

it.each(workingSeeds)("a document that $title has no fault", ({ method, schemas }) => {
  const added = Object.entries(schemas).map(([name, schema]) => [`/components/schemas/${name}`, schema]);
  expect(faultsOf(textOf({ set: { "/methods/3": method, ...Object.fromEntries(added) } }))).toEqual([]);
});

describe.each([
  ["document", documentSeeds],
  ["schema", schemaSeeds],
  ["method", methodSeeds],
  ["error", errorSeeds],
  ["name", nameSeeds],
])("a document with a mistake (%s)", (_, seeds) => {
  it.each(seeds)("that $title is refused with pointer, message and advice", (seed) => {
    const found = faultsOf(textOf(seed));
    expect(found.map(({ pointer }) => pointer)).toEqual(seed.faults.map(([pointer]) => pointer));
    for (const [index, [, ...messages]] of seed.faults.entries())
      for (const message of messages) expect(found[index]?.message).toContain(message);
  });
});
