import { load } from "../../src/load.ts";
import { mockAdminFile } from "../../src/output-file.ts";
import { readServiceSettings } from "../../src/service-settings.ts";
import type { Target } from "../../src/target.ts";
import { modelOf } from "../support/model.ts";

/** Returns the output of a target for the small document, by path. */
export function outputOf(target: Target, document?: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    target.files(modelOf(document), load(mockAdminFile), readServiceSettings()).map(({ path, text }) => [path, text]),
  );
}
