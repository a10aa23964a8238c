import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvTable } from "./files/csv.ts";
import { withFileLock } from "./files/file-lock.ts";
import { jsonRows } from "./files/json.ts";
import { type Ledger, mergedLedger } from "./ledger/ledger.ts";
import { type Recording, recordingOf } from "./recording/recording.ts";
import type { Rows } from "./results/result-set.ts";
import { defineStub, type StubDefinition } from "./stubs/definition.ts";
import { createStubList } from "./stubs/stub-list.ts";

/**
 * Reads rows from a file: `.csv` with a header line, or `.json` with an array of objects or `{ columns, rows }`.
 * @throws RangeError for another extension. SyntaxError for a file that is not valid.
 */
export function rowsFrom(path: string | URL): Rows {
  const name = String(path);
  const text = () => readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  if (/\.csv$/i.test(name)) return csvTable(text(), name);
  if (/\.json$/i.test(name)) return jsonRows(text(), name);
  throw new RangeError(`rowsFrom: unsupported file: ${name}; use .csv or .json`);
}

/** Stub in a file. `rowsFile` is the path of a file with its rows, relative to the folder. */
type StoredStub = StubDefinition & { readonly rowsFile?: string };

/**
 * Reads stubs from the `.json` files of a folder, in the order of their names. Each file has one stub, or an array of them; `rowsFile` names a
 * file of rows.
 * @throws SyntaxError, TypeError or RangeError with the path of the file that is not valid.
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

/** Writes a recording to a file, one call a line, which gives readable diffs. */
export function saveRecording(path: string | URL, { calls }: Recording): void {
  writeFileSync(path, `{ "calls": [\n${calls.map((call) => JSON.stringify(call)).join(",\n")}\n] }\n`);
}

/** Reads a recording from a file. @throws SyntaxError for invalid JSON. TypeError for a recording that does not match the contract. */
export function recordingFrom(path: string | URL): Recording {
  return recordingOf(JSON.parse(readFileSync(path, "utf8")));
}

/**
 * Adds the sessions of a ledger to a file, one session a line. A lock protects the file from other test processes that
 * write it.
 * @throws TypeError for a value that is not a ledger.
 */
export function saveLedger(path: string | URL, { sessions }: Ledger): void {
  if (!Array.isArray(sessions)) throw new TypeError("saveLedger: the value is not a ledger; pass ledger.ledger()");
  withFileLock(path, () => {
    const earlier: Ledger = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { sessions: [] };
    const merged = mergedLedger([...earlier.sessions, ...sessions]);
    writeFileSync(path, `{ "sessions": [\n${merged.sessions.map((one) => JSON.stringify(one)).join(",\n")}\n] }\n`);
  });
}
