import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alone } from "./files/alone.ts";
import { csvTable } from "./files/csv.ts";
import { jsonRows } from "./files/json.ts";
import { type Ledger, mergedLedger } from "./ledger/ledger.ts";
import { type Recording, recordingOf } from "./recording/recording.ts";
import type { Rows } from "./results/result-set.ts";
import { defineStub, type StubDefinition } from "./stubs/definition.ts";
import { createStubList } from "./stubs/stub-list.ts";

/**
 * The rows of a file: CSV with a line of names, or JSON, which is an array of objects or `{ columns, rows }`.
 * @throws RangeError for a name that ends otherwise, SyntaxError where the file is not what its name says.
 */
export function rowsFrom(path: string | URL): Rows {
  const name = String(path);
  const text = () => readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  if (/\.csv$/i.test(name)) return csvTable(text(), name);
  if (/\.json$/i.test(name)) return jsonRows(text(), name);
  throw new RangeError(`rows come from files that end in .csv or .json, not from ${name}`);
}

/** Stub of a file; its rows may be in another file, by its path from the folder. */
type StoredStub = StubDefinition & { readonly rowsFile?: string };

/**
 * Reads the stubs of a folder: each file that ends in .json has one, or an array, in the order of the names. `rowsFile` names a file of rows.
 * @throws SyntaxError, TypeError or RangeError that names the file whose stub is not valid.
 */
export function stubsFrom(folder: string): readonly StubDefinition[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().flatMap((name) => {
    try {
      const stored: StoredStub | readonly StoredStub[] = JSON.parse(readFileSync(join(folder, name), "utf8"));
      return [stored].flat().map((one: StoredStub) => storedStub(folder, one));
    } catch (error) {
      if (error instanceof Error) error.message = `${join(folder, name)}: ${error.message}`;
      throw error;
    }
  });
}

function storedStub(folder: string, { rowsFile, ...stored }: StoredStub): StubDefinition {
  const definition = rowsFile === undefined ? stored : { ...stored, rows: rowsFrom(join(folder, rowsFile)) };
  defineStub(createStubList().when, definition);
  return definition;
}

/** Keeps a recording, one call a line, so that what has changed is seen where it has. */
export function saveRecording(path: string | URL, { calls }: Recording): void {
  writeFileSync(path, `{ "calls": [\n${calls.map((call) => JSON.stringify(call)).join(",\n")}\n] }\n`);
}

/** Reads a recording that was kept. @throws SyntaxError, or TypeError where it does not fit the contract as it is today. */
export function recordingFrom(path: string | URL): Recording {
  return recordingOf(JSON.parse(readFileSync(path, "utf8")));
}

/** Keeps a ledger, one session a line, beside those that the file has: tests in several processes write one. */
export function saveLedger(path: string | URL, { sessions }: Ledger): void {
  if (!Array.isArray(sessions)) throw new TypeError("saveLedger: the value is not a ledger; pass ledger.ledger()");
  alone(path, () => {
    const earlier: Ledger = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { sessions: [] };
    const merged = mergedLedger([...earlier.sessions, ...sessions]);
    writeFileSync(path, `{ "sessions": [\n${merged.sessions.map((one) => JSON.stringify(one)).join(",\n")}\n] }\n`);
  });
}
