import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { bounded } from "./measure.ts";

const README = fileURLToPath(new URL("../../../README.md", import.meta.url));
const TABLE = /(<!-- sizes -->\n)[\s\S]*?(<!-- \/sizes -->)/;

interface Bundle {
  readonly label: string;
  readonly code: string;
  /** Packages that the bundle omits: peers, and packages of another row. */
  readonly external?: readonly string[];
  /** Maximum size, gzipped, in bytes. */
  readonly atMost?: number;
}

const BUNDLES: readonly Bundle[] = [
  {
    label: "@quern/client, a method and its errors",
    code: 'export { getQueryRun, isErrorOf, QuernError } from "@quern/client";',
    atMost: 1_000,
  },
  {
    label: "@quern/client, all behind query()",
    code: 'export { query } from "@quern/client";',
    atMost: 4_700,
  },
  {
    label: "@quern/client, a client and a method",
    code: 'export { createClient, getQueryRun } from "@quern/client";',
  },
  {
    label: "@quern/client, a client, query() and rows",
    code: 'export { createClient, query, rowsOf } from "@quern/client";',
  },
  { label: "@quern/client/flipside", code: 'export { Flipside } from "@quern/client/flipside";' },
  {
    label: "@quern/react",
    code: 'export * from "@quern/react";',
    external: ["react", "react/*", "@tanstack/*", "@quern/client"],
    atMost: 4_300,
  },
  {
    label: "@quern/vue",
    code: 'export * from "@quern/vue";',
    external: ["vue", "@tanstack/*", "@quern/client"],
    atMost: 4_800,
  },
  {
    label: "@quern/svelte",
    code: 'export * from "@quern/svelte";',
    external: ["svelte", "svelte/*", "@tanstack/*", "@quern/client"],
    atMost: 4_600,
  },
  { label: "@quern/mock-server", code: 'export { createMockServer } from "@quern/mock-server";' },
  { label: "@flipsidecrypto/sdk", code: 'export { Flipside } from "@flipsidecrypto/sdk";' },
  { label: "openapi-fetch", code: 'export { default } from "openapi-fetch";' },
  { label: "@trpc/client", code: 'export { createTRPCClient, httpBatchLink } from "@trpc/client";' },
  { label: "viem, http", code: 'export { createClient, http } from "viem";' },
  {
    label: "@connectrpc/connect-web",
    code: 'export { createClient } from "@connectrpc/connect"; export { createConnectTransport } from "@connectrpc/connect-web";',
  },
];

interface Row {
  readonly name: string;
  readonly purpose: string;
  /** Label of the bundle whose size the row shows. Absent for a package that runs on Node only. */
  readonly bundle?: string;
}

const ROWS: readonly Row[] = [
  {
    name: "client",
    purpose: "Typed client: queries, rows, pages, batches, retries",
    bundle: "@quern/client, a client, query() and rows",
  },
  { name: "react", purpose: "Hooks and options for TanStack Query, and a dashboard queue", bundle: "@quern/react" },
  {
    name: "vue",
    purpose: "Vue composables and options for TanStack Query, and a dashboard queue",
    bundle: "@quern/vue",
  },
  {
    name: "svelte",
    purpose: "Svelte functions and options for TanStack Query, and a dashboard queue",
    bundle: "@quern/svelte",
  },
  {
    name: "cli",
    purpose: "Command line `quern`: a command for each method, results as tables, CSV, JSON, Parquet or Arrow",
  },
  { name: "console", purpose: "Web console of the service: editor, runs, results and history, as static files" },
  { name: "mcp", purpose: "Tools for language-model agents, over stdio and HTTP (MCP)" },
  { name: "mock-server", purpose: "Stateful mock service in memory, for tests", bundle: "@quern/mock-server" },
  { name: "conformance", purpose: "Tests for any server against the contract, and for any client on a faulty network" },
  { name: "server", purpose: "Query service on SQLite and DuckDB" },
  { name: "duckdb", purpose: "Embedded engine: statements in sandboxed processes, pages and downloads" },
  { name: "postgres", purpose: "Store of several servers on PostgreSQL, and data sources on PostgreSQL" },
  { name: "s3", purpose: "Results and data sources in S3-compatible object storage, for several servers" },
  { name: "trino", purpose: "Data sources on Trino" },
  { name: "clickhouse", purpose: "Data sources on ClickHouse" },
  { name: "adapter", purpose: "Interfaces of data sources, stores and result stores" },
  { name: "query-run", purpose: "Life cycle of a run: states, reuse, retention, pages" },
  { name: "protocol", purpose: "Types, descriptors, errors and validators of the methods" },
  { name: "json-rpc", purpose: "JSON-RPC 2.0 over HTTP: envelopes, handler, fetch and Node entry points" },
];

const HERE = fileURLToPath(new URL(".", import.meta.url));

async function gzipped({ code, external = [] }: Bundle, folder = HERE): Promise<{ minified: number; gzip: number }> {
  const result = await build({
    stdin: { contents: code, resolveDir: folder },
    external: [...external],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    write: false,
    logLevel: "error",
  });
  const bytes = result.outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}

/** Prints the size of each bundle. With `write`, updates the table of packages in the root README. */
export async function sizes({ write }: { readonly write: boolean }): Promise<void> {
  const measured = new Map<string, number>();
  for (const bundle of BUNDLES) {
    const { minified, gzip } = await gzipped(bundle);
    measured.set(bundle.label, gzip);
    console.log(
      `${bundle.label.padEnd(42)} ${String(minified).padStart(8)} B minified ${String(gzip).padStart(7)} B gzip`,
    );
  }
  for (const { label, atMost } of BUNDLES) {
    if (atMost !== undefined) bounded({ what: label, value: measured.get(label) ?? Number.NaN, atMost, unit: " B" });
  }
  if (write) writeFileSync(README, readFileSync(README, "utf8").replace(TABLE, `$1${table(measured)}$2`));
}

interface OverCeiling {
  /** Name of the package. */
  readonly name: string;
  readonly label: string;
  readonly gzip: number;
  readonly atMost: number;
}

/**
 * Returns the bundles that are larger than their maximum.
 * @param projects Folder in which each package is installed, by its name.
 */
export async function overCeilings(projects: ReadonlyMap<string, string>): Promise<OverCeiling[]> {
  const over = [];
  for (const bundle of BUNDLES) {
    const { label, atMost } = bundle;
    if (atMost === undefined) continue;
    const name = label.replace(/,.*/, "");
    const folder = projects.get(name);
    if (folder === undefined) throw new Error(`${name} is not installed`);
    const { gzip } = await gzipped(bundle, folder);
    if (gzip > atMost) over.push({ name, label, gzip, atMost });
  }
  return over;
}

/** Returns the table of packages for the root README, with the sizes of the packages as they are built now. */
export async function measuredTable(): Promise<string> {
  const shown = BUNDLES.filter(({ label }) => ROWS.some(({ bundle }) => bundle === label));
  const measured = new Map<string, number>();
  for (const bundle of shown) measured.set(bundle.label, (await gzipped(bundle)).gzip);
  return table(measured);
}

function table(measured: ReadonlyMap<string, number>): string {
  const head = "\n| Package | Purpose | Size in a browser, gzip |\n| --- | --- | ---: |\n";
  const rows = ROWS.map(({ name, purpose, bundle }) => {
    const bytes = bundle === undefined ? undefined : measured.get(bundle);
    const size = bytes === undefined ? "" : `${(bytes / 1000).toFixed(1)} kB`;
    return `| [\`@quern/${name}\`](packages/${name}/README.md) | ${purpose} | ${size} |\n`;
  });
  return `${head}${rows.join("")}\n`;
}
