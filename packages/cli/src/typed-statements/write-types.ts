import { readFile, rm, writeFile } from "node:fs/promises";
import { type CallOptions, type Client, describeQuery } from "@quern/client";
import { UsageError } from "../errors/cli-error.ts";
import { statementsOf } from "../statement/statements.ts";
import { existingEntries, hashOf, nameIn, readSnapshot, type SnapshotEntry, writeSnapshot } from "./snapshot.ts";
import { readStatement, type StatementFiles } from "./statement-files.ts";
import { typedFileText } from "./typed-file.ts";

/** Message about a place in a file. Lines and columns count from 1. */
interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface Outcome {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Statements that have no types. Their files and their entries in the snapshot stay as they are. */
  readonly faults: readonly Finding[];
  readonly warnings: readonly Finding[];
}

interface Source {
  readonly dataSource?: string;
  readonly dataProvider?: string;
}

/** Statements that are described at the same time. The client sends them in one request. */
const statementsOfRequest = 20;

/** Describes the statements, and writes a file for each and the snapshot. Writes no file that has its text already. */
export async function writeTypes(
  client: Client,
  { statements, orphans }: StatementFiles,
  snapshotFile: string,
  source: Source,
  options: CallOptions,
): Promise<Outcome> {
  const snapshot: Record<string, SnapshotEntry> = await existingEntries(snapshotFile, await readSnapshot(snapshotFile));
  const written: string[] = [];
  const faults: Finding[] = [];
  const warnings: Finding[] = [];
  const typeFile = async (file: string) => {
    const sql = await readStatement(file);
    const fault = faultIn(sql);
    if (fault !== undefined) return void faults.push({ file, column: 1, ...fault });
    const entry = await describe(client, sql, source, options).catch((error: unknown) => {
      faults.push({ file, ...rejection(error) });
      return undefined;
    });
    if (entry === undefined) return;
    snapshot[nameIn(snapshotFile, file)] = entry;
    const untyped = entry.parameters.filter(({ type }) => type === null).map(({ name }) => `$${name}`);
    if (untyped.length > 0) {
      const message = `unknown type of ${untyped.join(", ")}: a column whose type depends on the value may not match the schema`;
      warnings.push({ file, line: 1, column: 1, message });
    }
    if (await writeChanged(`${file}.ts`, typedFileText(file, sql, entry))) written.push(`${file}.ts`);
  };
  for (let at = 0; at < statements.length; at += statementsOfRequest)
    await Promise.all(statements.slice(at, at + statementsOfRequest).map(typeFile));
  for (const file of orphans) await rm(file);
  await writeSnapshot(snapshotFile, snapshot);
  const byFile = (a: Finding, b: Finding) => (a.file < b.file ? -1 : 1);
  return {
    written: written.toSorted(),
    removed: orphans,
    faults: faults.toSorted(byFile),
    warnings: warnings.toSorted(byFile),
  };
}

function faultIn(sql: string): { readonly line: number; readonly message: string } | undefined {
  const [first, second] = statementsOf(sql);
  if (first === undefined) return { line: 1, message: "the file has no statement" };
  if (second === undefined) return undefined;
  return { line: second.line, message: "the file has several statements; write each in a file of its own" };
}

async function describe(client: Client, sql: string, source: Source, options: CallOptions): Promise<SnapshotEntry> {
  const { columns, parameters } = await describeQuery(client, { sql, ...source }, options);
  return {
    sha256: hashOf(sql),
    ...source,
    columns: columns.map(({ name, type, engineType, nullable }) => ({ name, type, engineType, nullable })),
    parameters: parameters.map(({ name, type }) => ({ name, type })),
  };
}

/** Returns the place and the message of an error about the statement. @throws any other error. */
function rejection(error: unknown): Omit<Finding, "file"> {
  const { errorName, data, message } = Object(error);
  if (errorName !== "InvalidQuery" && errorName !== "InvalidParams") throw error;
  const { errorMessage = message, errorData } = Object(data);
  const { line, column } = Object(errorData);
  const text = String(errorMessage).replace(/ \(line \d+, column \d+\)$/, "");
  return { line: Number(line ?? 1), column: Number(column ?? 1), message: text.replace(/\s*\n\s*/g, " ") };
}

/** Writes a file unless it has the text, also with other line ends. Returns whether it has written. @throws {UsageError} */
async function writeChanged(file: string, text: string): Promise<boolean> {
  const old = await readFile(file, "utf8").catch(() => undefined);
  if (old?.replaceAll("\r\n", "\n") === text) return false;
  await writeFile(file, text).catch((error: Error) => {
    throw new UsageError(`cannot write the types: ${error.message}; make the folder writable`);
  });
  return true;
}
