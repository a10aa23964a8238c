import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { SpecError } from "../src/faults.ts";
import { load } from "../src/load.ts";
import { documentSeeds } from "./seeds/document-seeds.ts";
import { errorSeeds } from "./seeds/error-seeds.ts";
import { methodSeeds } from "./seeds/method-seeds.ts";
import { nameSeeds } from "./seeds/name-seeds.ts";
import { schemaSeeds } from "./seeds/schema-seeds.ts";
import { textOf } from "./seeds/seed.ts";
import { toolSeeds, workingTool } from "./seeds/tool-seeds.ts";
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

it("a tool has no fault", () => expect(faultsOf(textOf({ set: workingTool }))).toEqual([]));

it("a document that only looks like a mistake has no fault", () => {
  const found = workingSeeds.map(({ title, method, schemas }) => {
    const added = Object.entries(schemas).map(([name, schema]) => [`/components/schemas/${name}`, schema]);
    return [title, faultsOf(textOf({ set: { "/methods/3": method, ...Object.fromEntries(added) } }))];
  });
  expect(found).toEqual(workingSeeds.map(({ title }) => [title, []]));
});

it.each([
  ["document", documentSeeds],
  ["schema", schemaSeeds],
  ["method", methodSeeds],
  ["error", errorSeeds],
  ["name", nameSeeds],
  ["tool", toolSeeds],
])("each mistake in a %s is refused with pointer, message and advice", (_, seeds) => {
  for (const seed of seeds) {
    const wanted = seed.faults.map(([pointer, ...messages]) => ({ pointer, messages }));
    const found = faultsOf(textOf(seed)).map(({ pointer, message }, index) => {
      return { pointer, messages: wanted[index]?.messages.map((part) => (message.includes(part) ? part : message)) };
    });
    expect(found, JSON.stringify(seed)).toEqual(wanted);
  }
});
