import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { alone } from "./files/alone.ts";
import { csvTable } from "./files/csv.ts";
import { jsonRows } from "./files/json.ts";
import { type Ledger, mergedLedger } from "./ledger/ledger.ts";
import { type Recording, recordingOf } from "./recording/recording.ts";
import type { Rows } from "./results/result-set.ts";

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
  alone(path, () => {
    const earlier: Ledger = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { sessions: [] };
    const merged = mergedLedger([...earlier.sessions, ...sessions]);
    writeFileSync(path, `{ "sessions": [\n${merged.sessions.map((one) => JSON.stringify(one)).join(",\n")}\n] }\n`);
  });
}
