import { createHash } from "node:crypto";
import { access, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { UsageError } from "../errors/cli-error.ts";

/** Description of a statement by the service. */
export interface Description {
  readonly columns: readonly Readonly<Record<"name" | "type" | "engineType", string> & { nullable: boolean }>[];
  readonly parameters: readonly { readonly name: string; readonly type: string | null }[];
  readonly dataSource?: string;
  readonly dataProvider?: string;
}

/** Description of a statement, with the hash of its text. */
export interface SnapshotEntry extends Description {
  readonly sha256: string;
}

/** Descriptions by the names of the files, relative to the folder of the snapshot, with slashes. */
export type Snapshot = Readonly<Record<string, SnapshotEntry>>;

const version = 1;

/** Returns the hash of the text of a statement, whose lines end with a line feed. */
export function hashOf(sql: string): string {
  return createHash("sha256").update(sql).digest("hex");
}

/** Returns the name of a file in a snapshot. */
export function nameIn(snapshotFile: string, file: string): string {
  return relative(dirname(snapshotFile), file).replaceAll(sep, "/");
}

/** Returns the entries whose files exist. Another command may have written those that no pattern matches. */
export async function existingEntries(
  snapshotFile: string,
  snapshot: Snapshot,
): Promise<Record<string, SnapshotEntry>> {
  const folder = dirname(snapshotFile);
  const entries = await Promise.all(
    Object.entries(snapshot).map(async (entry) =>
      access(join(folder, entry[0])).then(
        () => [entry],
        () => [],
      ),
    ),
  );
  return Object.fromEntries(entries.flat());
}

/** Reads a snapshot. Returns an empty one if there is no file. @throws {UsageError} It is not a snapshot of this version. */
export async function readSnapshot(file: string): Promise<Snapshot> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (Object(error).code === "ENOENT") return {};
    throw error;
  }
  try {
    const content: unknown = JSON.parse(text);
    const { version: found, statements } = Object(content) as {
      readonly version?: unknown;
      readonly statements?: unknown;
    };
    if (found === version && isSnapshot(statements)) return statements;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UsageError(`invalid snapshot: ${file}; delete it, then run \`quern types\` without --check`);
}

/** Writes a snapshot, unless the file has it already, in any format. */
export async function writeSnapshot(file: string, snapshot: Snapshot): Promise<void> {
  const names = Object.keys(snapshot).toSorted();
  const sorted = Object.fromEntries(names.map((name) => [name, snapshot[name]]));
  const content = { version, statements: sorted };
  const old = await readFile(file, "utf8").catch(() => "");
  if (old === "" || !isSameJson(old, content)) await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

function isSameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  return isRecord(value) && Object.values(value).every(isEntry);
}

function isEntry(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { sha256, columns, parameters, dataSource, dataProvider } = value;
  return (
    typeof sha256 === "string" &&
    [dataSource, dataProvider].every((name) => name === undefined || typeof name === "string") &&
    Array.isArray(columns) &&
    columns.every(
      ({ name, type, engineType, nullable }) =>
        [name, type, engineType].every((text) => typeof text === "string") && typeof nullable === "boolean",
    ) &&
    Array.isArray(parameters) &&
    parameters.every(({ name, type }) => typeof name === "string" && (type === null || typeof type === "string"))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
