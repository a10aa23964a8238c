import type { RunAs, SourceFile } from "@quern/adapter";
import type { TableLoad } from "./origin.ts";

/** Table of a catalog, as it was loaded. */
export interface IndexedTable {
  readonly schema: string;
  readonly name: string;
  /** Number of rows as the engine estimates it; null for a view. */
  readonly rows: number | null;
}

/** Catalog of a source in a shared storage. */
export interface SharedCatalog {
  readonly name: string;
  /** DuckDB file, such as `<source>/<version>.duckdb`, or of a further catalog `<source>/<version>.2.duckdb`. */
  readonly file: SourceFile;
  readonly tables: readonly IndexedTable[];
}

/** Present version of a source in a shared storage. */
export interface SharedManifest {
  /** Unique, also among later sources of the same name. */
  readonly version: string;
  readonly catalogs: readonly SharedCatalog[];
  readonly loads: readonly TableLoad[];
  /** @default "fixed" */
  readonly runAs?: RunAs | undefined;
}

/** Present versions of all sources of a shared storage, by name. */
export type SharedManifests = ReadonlyMap<string, SharedManifest>;

/** Returns the sources of an index; undefined if one of them is not a valid {@link SharedManifest}. */
export function parseManifests(value: unknown): SharedManifests | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const parsed = new Map<string, SharedManifest>();
  for (const [name, manifest] of entries) if (isManifest(name, manifest)) parsed.set(name, manifest);
  return parsed.size === entries.length ? parsed : undefined;
}

const versionForm = /^\d+-[0-9a-f]{8}$/;
/** File of a version of a source, without the name of the source. */
const fileForm = /^\d+-[0-9a-f]{8}(?:\.\d+)?\.duckdb$/;

/** Validates the members that become part of a path or revision, and those that other code reads without validation. */
function isManifest(name: string, value: unknown): value is SharedManifest {
  if (!isObject(value) || !/^[A-Za-z0-9][\w-]*$/.test(name)) return false;
  const { version, catalogs, loads, runAs } = value;
  const isKnown = typeof version === "string" && versionForm.test(version);
  const isRunAs = runAs === undefined || runAs === "fixed" || runAs === "user";
  return isKnown && isRunAs && listOf(catalogs, (each) => isCatalog(name, each)) && listOf(loads, isLoad);
}

function isCatalog(source: string, { name, file, tables }: Members): boolean {
  if (typeof name !== "string" || !isObject(file)) return false;
  const [folder, fileName = "", ...rest] = String(file.name).split("/");
  const isNamed = folder === source && fileForm.test(fileName) && rest.length === 0;
  const isFile = isNamed && Number.isSafeInteger(file.bytes) && typeof file.checksum === "string";
  return isFile && listOf(tables, (table) => typeof table.schema === "string" && typeof table.name === "string");
}

function isLoad({ catalog, origin, loadedAt }: Members): boolean {
  return typeof catalog === "string" && typeof loadedAt === "string" && isObject(origin);
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown, check: (member: Members) => boolean): boolean {
  return Array.isArray(value) && value.every((member) => isObject(member) && check(member));
}
