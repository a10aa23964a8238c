import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "../../src/load.ts";
import type { Model } from "../../src/model.ts";
import { createDocument } from "./document.ts";

/** Reads the model of a document from a file, as the generator does. */
export function modelOf(document: unknown = createDocument()): Model {
  const folder = mkdtempSync(join(tmpdir(), "quern-model-"));
  try {
    const file = join(folder, "openrpc.json");
    writeFileSync(file, JSON.stringify(document));
    return load(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
